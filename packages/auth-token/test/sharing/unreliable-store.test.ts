import { describe, expect, test } from 'vitest'
import { authFetch, type SharedTokenStore, type TokenStore } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { service, until } from '../support/service.ts'
import { manualTime } from '../support/time.ts'

const fails = async (): Promise<never> => {
  throw new Error('connection refused: redis://user:not-a-secret@host')
}
const hangs = (): Promise<never> => new Promise(() => {})

/** Ways in which a store can be of no use, and what of it an event tells. */
const faults: readonly [fault: string, store: Partial<TokenStore>, operation?: string][] = [
  ['that rejects', { get: fails, compareAndSwap: fails, lock: fails, unlock: fails }, 'get'],
  [
    'that throws',
    {
      get: () => {
        throw new Error('at once')
      },
    },
    'get',
  ],
  ['that cannot lock', { lock: fails }, 'lock'],
  ['that cannot write', { compareAndSwap: fails }, 'compareAndSwap'],
  ['that cannot unlock', { unlock: fails }, 'unlock'],
  ['that never responds', { get: hangs, compareAndSwap: hangs, lock: hangs, unlock: hangs }, 'get'],
  ['that never responds to a write', { compareAndSwap: hangs }, 'compareAndSwap'],
  // @ts-expect-error: rubbish
  ['that gives a text', { get: async () => 'rubbish' }, 'get'],
  // @ts-expect-error: rubbish
  ['that gives null', { get: async () => null }, 'get'],
  // @ts-expect-error: rubbish
  ['that gives half a record', { get: async () => ({ generation: 1 }) }, 'get'],
  ['that counts in fractions', { get: async () => ({ generation: 0.5, sealed: 'x' }) }, 'get'],
  // @ts-expect-error: rubbish
  ['that gives a lock without a number', { lock: async () => 'OK' }, 'lock'],
  // @ts-expect-error: rubbish
  ['that does not say whether it wrote', { compareAndSwap: async () => 1 }, 'compareAndSwap'],
  [
    'that gives a record that cannot be opened',
    { get: async () => ({ generation: 9, sealed: 'x' }) },
  ],
  ['that loses what it is given', { compareAndSwap: async () => true }],
  ['that never writes', { compareAndSwap: async () => false }],
]

describe('a store', () => {
  test.each(faults)('%s does not keep a request from its token', async (_, spoilt, operation) => {
    const time = manualTime()
    const { clock } = time
    const { fetch, groups, emulator, events } = await service(
      { store: { ...memoryTokenStore(clock), ...spoilt }, clock },
      { clock },
    )
    const send = async (): Promise<number> => (await time.run(fetch(groups))).status
    expect(await send()).toBe(200)
    emulator.revokeTokens()
    // A lock that was not freed ends by itself.
    time.now += 5000
    expect(await send()).toBe(200)
    expect(emulator.logins).toBe(2)
    const isTold = (): boolean => events.some(({ type }) => type === 'store.failed')
    if (operation !== undefined) await until(isTold)
    const failed = events.find((event) => event.type === 'store.failed')
    expect(failed?.operation).toBe(operation)
    expect(JSON.stringify(events)).not.toContain('not-a-secret')
  })

  test('that is away is not asked for each request, and a token that is valid is used', async () => {
    const memory = memoryTokenStore()
    let isAway = false
    let asked = 0
    const store: SharedTokenStore = {
      ...memory,
      async get(key) {
        asked += 1
        if (isAway) throw new Error('away')
        return memory.get(key)
      },
    }
    const { fetch, groups, emulator, time, auth } = await service({ store })
    await fetch(groups)
    isAway = true
    asked = 0
    time.now += 24 * 3_600_000 - 600_000
    for (let call = 0; call < 20; call += 1) {
      expect((await fetch(groups)).status).toBe(200)
      await new Promise(setImmediate)
    }
    expect({ asked, logins: emulator.logins }).toEqual({ asked: 1, logins: 1 })
    time.now += 10_000
    await fetch(groups)
    expect(asked).toBe(2)
    // Once half of the time is over that was left for it, the login is made without sharing.
    time.now += 290_000
    await fetch(groups)
    await until(() => auth.inspect().generation === 2)
    expect(emulator.logins).toBe(2)
  })

  test('that comes back is shared again', async () => {
    const memory = memoryTokenStore()
    let isAway = true
    const store: SharedTokenStore = {
      ...memory,
      get: (key) => (isAway ? fails() : memory.get(key)),
    }
    const { session, groups, emulator } = await service({ store })
    const [one, other] = [session(), session()]
    await one.getToken()
    await other.getToken()
    expect(emulator.logins).toBe(2)
    isAway = false
    expect((await authFetch(one)(groups)).status).toBe(200)
    expect((await authFetch(other)(groups)).status).toBe(200)
    expect(await session().getToken()).toBe(await one.getToken())
    expect(await other.getToken()).toBe(await one.getToken())
    expect(emulator.logins).toBe(3)
  })

  test('that responds late leaves no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const collect = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', collect)
    const time = manualTime()
    const late = async (): Promise<never> => {
      await time.delay(3000)
      throw new Error('late')
    }
    const store = sharedTokenStore({ get: late, compareAndSwap: late, lock: late, unlock: late })
    const { auth } = await service({ store, clock: time.clock })
    const controller = new AbortController()
    const waiter = auth.getToken({ signal: controller.signal })
    controller.abort(new Error('leaves'))
    await expect(waiter).rejects.toThrow('leaves')
    await time.run(auth.getToken())
    await time.advance(5000)
    process.off('unhandledRejection', collect)
    expect(unhandled).toEqual([])
  })
})
