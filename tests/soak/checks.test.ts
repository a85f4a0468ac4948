import { afterEach, describe, expect, test, vi } from 'vitest'
import { lateArrivals, wrongDeliveries } from './checks/deliveries.ts'
import { wrongLogins } from './checks/logins.ts'
import { growthOf, wrongGrowth } from './checks/memory.ts'
import { wrongOutcomes } from './checks/outcomes.ts'
import { grownResources } from './checks/resources.ts'
import { createRetention } from './checks/retention.ts'
import type { Unrest } from './checks/unrest.ts'
import { watchProcess } from './checks/watch.ts'
import type { Operation } from './plan/operation.ts'
import { hashOf, payloadOf } from './plan/payload.ts'
import type { ArrivedRequest } from './service/protocol.ts'

const put: Operation = {
  id: '5-1',
  kind: 'put',
  client: 'fetch',
  session: 'memory 1',
  via: 'scheme',
  fault: 'none',
  body: { form: 'bytes', bytes: 40 },
  retries: 0,
  sharesSignal: false,
}
const post: Operation = { ...put, kind: 'post with token' }
const calm: Unrest = { tokens: { memory: 0, file: 0, redis: 0 }, signatures: 0, logins: 'none' }

function arrival(changes: Partial<ArrivedRequest> = {}): ArrivedRequest {
  const hash = hashOf(payloadOf(put.id, { form: 'bytes', bytes: 40 }))
  const path = '/V1/soak/5-1'
  const common = { operation: put.id, method: 'PUT', path, isChunked: false }
  return { ...common, status: 200, isLetIn: true, hash, ...changes }
}

function deliveriesOf(
  operation: Operation,
  outcome: string,
  ...arrivals: ArrivedRequest[]
): string[] {
  return wrongDeliveries([{ operation, outcome }], arrivals)
}

describe('a delivery', () => {
  const refused = arrival({ status: 403, isLetIn: false })

  test('is good where a body is taken once, after a refusal too', () => {
    expect(deliveriesOf(put, 'accepted', arrival())).toEqual([])
    expect(deliveriesOf(put, 'accepted', refused, arrival())).toEqual([])
    expect(deliveriesOf(put, 'AbortError 20')).toEqual([])
  })

  test.each([
    ['acknowledged and not there', 'accepted', [], /taken 0 times/],
    ['taken twice', 'accepted', [arrival(), arrival()], /taken 2 times/],
    ['taken twice for a caller that got an error', 'network', [arrival(), arrival()], /taken 2/],
    ['sent again after it was taken', 'accepted', [arrival(), refused], /after arrival 1 .* 200/],
    [
      'sent again after no response',
      'accepted',
      [arrival({ status: undefined, isLetIn: false }), arrival()],
      /after arrival 1 .* undefined/,
    ],
    ['other bytes', 'accepted', [arrival({ hash: 'another' })], /other bytes/],
    [
      'sent more often than there are reasons',
      'status 403',
      [refused, refused, refused],
      /3 times/,
    ],
  ])('is wrong where it is %s', (_name, outcome, arrivals, complaint) => {
    expect(deliveriesOf(put, outcome, ...arrivals).join('\n')).toMatch(complaint)
  })

  test('may come late only where its caller gave up', () => {
    const endOf = (operation: Operation) => lateArrivals([arrival()], 6, () => [operation])
    expect(endOf(put)).toHaveLength(1)
    expect(endOf({ ...put, end: { by: 'abort', afterMs: 10 } })).toEqual([])
    expect(lateArrivals([arrival()], 5, () => [put])).toEqual([])
  })
})

describe('an outcome', () => {
  const wrong = (operation: Operation, outcome: string, unrest: Unrest = calm) =>
    wrongOutcomes([{ operation, outcome }], unrest).length

  test('is exact where there is no unrest', () => {
    expect(wrong(put, 'accepted')).toBe(0)
    expect(wrong(put, 'status 403')).toBe(1)
    expect(wrong(post, 'status 401')).toBe(1)
    expect(wrong(post, 'ERR_AUTH_LOGIN_REFUSED')).toBe(1)
    expect(wrong(put, 'stuck for 30000 ms')).toBe(1)
  })

  test('of an abort is an abort, in the words of the client', () => {
    const aborted: Operation = { ...put, fault: 'silent', end: { by: 'abort', afterMs: 10 } }
    expect(wrong(aborted, 'AbortError 20')).toBe(0)
    expect(wrong(aborted, 'accepted')).toBe(1)
    expect(wrong({ ...aborted, client: 'axios http' }, 'AbortError 20')).toBe(1)
  })

  test('may be a refusal where two tokens or clocks were wrong, and one for what is sent once', () => {
    const unrest = (tokens: number): Unrest => ({
      ...calm,
      tokens: { ...calm.tokens, memory: tokens },
    })
    expect(wrong(post, 'status 401', unrest(1))).toBe(1)
    expect(wrong(post, 'status 401', unrest(2))).toBe(0)
    const stream: Operation = { ...post, body: { form: 'stream', bytes: 40 } }
    expect(wrong(stream, 'status 401', unrest(1))).toBe(0)
    expect(wrong(put, 'status 403', { ...calm, signatures: 1 })).toBe(1)
    expect(wrong(put, 'status 403', { ...calm, signatures: 2 })).toBe(0)
  })

  test('of a login that fails is the code of just this failure', () => {
    const unrest: Unrest = { ...calm, logins: 'redirected' }
    expect(wrong(post, 'ERR_AUTH_LOGIN_REDIRECT', unrest)).toBe(0)
    expect(wrong(post, 'ERR_AUTH_LOGIN_REFUSED', unrest)).toBe(1)
    expect(wrong(put, 'ERR_AUTH_LOGIN_REDIRECT', unrest)).toBe(1)
  })
})

test('an account logs in no more often than there are reasons to', () => {
  const none = { memory: 0, file: 0, redis: 0 }
  const once: Unrest = { ...calm, tokens: { ...calm.tokens, file: 1 } }
  expect(wrongLogins(once, { ...none, file: 1 })).toEqual([])
  expect(wrongLogins(once, { ...none, file: 2 })).toEqual(['file: 2 logins for 1 reasons'])
})

test('a heap that grows with every operation is seen, and one that levels off is not', () => {
  const heap = (bytesOf: (operations: number) => number) =>
    wrongGrowth(
      growthOf(
        Array.from({ length: 40 }, (_, index) => {
          const operations = 1000 * (index + 1)
          return { operations, heapBytes: 40e6 + bytesOf(operations) }
        }),
      ),
    )
  expect(heap((operations) => 200 * operations)).toHaveLength(1)
  expect(heap((operations) => 5e6 * (1 - 1 / operations))).toEqual([])
})

test('bodies that are held when their round is long over are counted', () => {
  const results = Array.from({ length: 20 }, () => {
    const source = { body: new Blob(['x']), isHeld: () => false }
    return { operation: put, outcome: 'accepted', source }
  })
  const retention = createRetention()
  retention.watch(results)
  for (let round = 1; round <= 2; round += 1) {
    expect(retention.wrong()).toEqual([])
    retention.watch([])
  }
  expect(retention.wrong()).toEqual(['20 bodies of earlier rounds are held'])
  expect(results).toHaveLength(20)
})

test('more of a resource than before is named', () => {
  expect(grownResources({ Timeout: 1 }, { Timeout: 3, PipeWrap: 1 })).toEqual([
    '2 more of Timeout',
    '1 more of PipeWrap',
  ])
})

describe('the watch', () => {
  afterEach(() => vi.restoreAllMocks())

  test('hears a warning of Node’s, once', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const watch = watchProcess()
    process.emitWarning('too many listeners', 'MaxListenersExceededWarning')
    await new Promise((resolve) => process.nextTick(resolve))
    expect(watch.takeHeard().join('\n')).toContain('a warning: MaxListenersExceededWarning')
    expect(watch.takeHeard()).toEqual([])
    watch.end()
  })
})
