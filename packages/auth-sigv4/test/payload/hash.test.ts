import { createHash } from 'node:crypto'
import type { PayloadPolicy } from '@svc/auth-sigv4'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import type { OutgoingBody } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { emptyHash, payloadHash } from '../testing.ts'
import { outgoingRequest } from '../support/signing.ts'

const limitBytes = 64 * 1024 * 1024
const content = new TextEncoder().encode('content')
const hashed = createHash('sha256').update(content).digest('hex')
const [native, webCrypto] = [nativeEngine(), webCryptoEngine()]

/** A body like a Blob, which tells how it was read. */
function blob(size: number | undefined, own: Partial<OutgoingBody> = {}) {
  const reads: string[] = []
  const body: OutgoingBody = {
    ...(size !== undefined && { size }),
    replayable: true,
    bytes() {
      reads.push('whole')
      return content
    },
    async *chunks() {
      reads.push('in pieces')
      yield content
    },
    ...own,
  }
  return { body, reads }
}

const request = (body: OutgoingBody | undefined, protocol = 'https:') => ({
  ...outgoingRequest(`${protocol}//example.com/k?secret=1`, {}, 'PUT'),
  body,
})

describe('a body that is not in memory', () => {
  test('is hashed in pieces where the engine can', async () => {
    const { body, reads } = blob(limitBytes + 1)
    expect(await payloadHash(request(body), 'auto', native)).toBe(hashed)
    expect(reads).toEqual(['in pieces'])
  })

  test.each([0, limitBytes, undefined])('of %s bytes is read whole elsewhere', async (size) => {
    const { body, reads } = blob(size)
    expect(await payloadHash(request(body), 'auto', webCrypto)).toBe(hashed)
    expect(reads).toEqual(['whole'])
  })

  test('is not read elsewhere where it is too large, and goes unsigned over https', async () => {
    const { body, reads } = blob(limitBytes + 1)
    expect(await payloadHash(request(body), 'auto', webCrypto)).toBe('UNSIGNED-PAYLOAD')
    expect(reads).toEqual([])
  })

  test.each<[PayloadPolicy, string]>([
    ['auto', 'http:'],
    ['signed', 'https:'],
  ])('and is too large is refused elsewhere with %s over %s', (policy, protocol) => {
    const { body } = blob(limitBytes + 1)
    expect(() => payloadHash(request(body, protocol), policy, webCrypto)).toThrow(
      `[@svc/auth-sigv4] PUT ${protocol}//example.com/k: the body is larger than the 67108864 bytes ` +
        'that the webcrypto engine can hash; ' +
        "pass bytes, streaming(), or payload: 'unsigned'",
    )
  })
})

test('a body in memory is hashed at once, however large it is', async () => {
  const { body, reads } = blob(limitBytes + 1, { inMemory: true })
  expect(payloadHash(request(body), 'auto', native)).toBe(hashed)
  expect(await payloadHash(request(body), 'auto', webCrypto)).toBe(hashed)
  expect(reads).toEqual(['whole', 'whole'])
})

test('a stream is refused where it would have to be hashed, and goes unsigned over https', () => {
  const { body, reads } = blob(7, { replayable: false })
  expect(payloadHash(request(body), 'auto', native)).toBe('UNSIGNED-PAYLOAD')
  for (const [policy, protocol] of [
    ['signed', 'https:'],
    ['auto', 'http:'],
  ] as const) {
    expect(() => payloadHash(request(body, protocol), policy, native)).toThrow(
      `[@svc/auth-sigv4] PUT ${protocol}//example.com/k: the body is a stream and cannot be hashed ` +
        'before it is sent (in a Request, and so with ky, a body larger than maxReplayBytes counts as one); ' +
        "pass bytes, streaming(), or payload: 'unsigned'",
    )
  }
  expect(reads).toEqual([])
})

test('no body has the hash of nothing, and none is asked for where it is not signed', () => {
  expect(payloadHash(request(undefined), 'signed', native)).toBe(emptyHash)
  expect(createHash('sha256').digest('hex')).toBe(emptyHash)
  const { body, reads } = blob(7)
  expect(payloadHash(request(body), 'unsigned', native)).toBe('UNSIGNED-PAYLOAD')
  expect(reads).toEqual([])
})

test('a body is read no further once its request is aborted', async () => {
  const controller = new AbortController()
  const { body } = blob(undefined, {
    async *chunks() {
      yield content
      controller.abort(new Error('enough'))
      yield content
      expect.unreachable()
    },
  })
  const aborted = payloadHash({ ...request(body), signal: controller.signal }, 'auto', native)
  await expect(aborted).rejects.toThrow('enough')
})
