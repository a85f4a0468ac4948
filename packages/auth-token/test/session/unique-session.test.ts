import { authorizeRequest } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { authFetch } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { service, until } from '../support/service.ts'

const day = 24 * 3_600_000
/** Ten minutes before the end a renewal is due, and five minutes before it presses. */
const due = day - 600_000
const pressing = day - 300_000

const streamed = (): RequestInit & { duplex: 'half' } => ({
  method: 'POST',
  body: new Blob(['sent once']).stream(),
  duplex: 'half',
})

/** A service with a request of the session that hangs until it is let go. */
async function withRequestInFlight(uniqueSession?: boolean) {
  const attempt = await service({ uniqueSession })
  let letGo = (): void => {}
  let hasGone = false
  const hanging = authFetch(attempt.auth, {
    fetch: async (input, init) => {
      if (!hasGone) await new Promise<void>((resolve) => (letGo = resolve))
      hasGone = true
      return globalThis.fetch(input, init)
    },
  })
  await attempt.auth.getToken()
  const response = hanging(attempt.groups)
  await new Promise(setImmediate)
  return { ...attempt, response, letGo: () => letGo() }
}

describe('a unique session', () => {
  test('is not renewed while a request with its token is under way', async () => {
    const { fetch, groups, time, emulator, response, letGo, auth } = await withRequestInFlight()
    time.now += due
    await fetch(groups)
    await quiet()
    expect(emulator.logins).toBe(1)
    letGo()
    expect((await response).status).toBe(200)
    await until(() => auth.inspect().generation === 2)
    expect(emulator.requests.filter(({ auth: { ok } }) => !ok)).toEqual([])
  })

  test('is not renewed before the request that finds its renewal due has ended', async () => {
    const { fetch, groups, time, emulator, auth } = await service()
    await auth.getToken()
    time.now += due
    expect((await fetch(groups)).status).toBe(200)
    await until(() => auth.inspect().generation === 2)
    expect(emulator.requests.filter(({ auth: { ok } }) => !ok)).toEqual([])
  })

  test('gives no token to a caller of getToken that its renewal is about to end', async () => {
    const { time, auth, emulator } = await service()
    const first = await auth.getToken()
    time.now += due
    expect(await auth.getToken()).not.toBe(first)
    expect(emulator.logins).toBe(2)
  })

  test('gives the token at hand to a caller of getToken where its renewal fails', async () => {
    const { time, auth, emulator } = await service()
    const first = await auth.getToken()
    time.now += due
    emulator.fault({ path: '/user/login', status: 503 })
    expect(await auth.getToken()).toBe(first)
  })

  test('waits no longer than half of the time that is left', async () => {
    const { fetch, groups, time, auth, letGo, response } = await withRequestInFlight()
    time.now += pressing
    await fetch(groups)
    await until(() => auth.inspect().generation === 2)
    letGo()
    expect((await response).status).toBe(200)
  })

  test('that is not unique is renewed whatever is under way', async () => {
    const { fetch, groups, time, auth, letGo, response } = await withRequestInFlight(false)
    time.now += due
    await fetch(groups)
    await until(() => auth.inspect().generation === 2)
    letGo()
    expect((await response).status).toBe(200)
  })

  test('is renewed although requests failed or were aborted before', async () => {
    const { auth, time, groups, fetch } = await service()
    const failing = authFetch(auth, { fetch: async () => Promise.reject(new Error('cut off')) })
    const hanging = authFetch(auth, { fetch: () => new Promise(() => {}) })
    await auth.getToken()
    await expect(failing(groups)).rejects.toThrow('cut off')
    const controller = new AbortController()
    const aborted = hanging(groups, { signal: controller.signal })
    await new Promise(setImmediate)
    controller.abort(new Error('gives up'))
    await expect(aborted).rejects.toThrow('gives up')
    time.now += due
    await fetch(groups)
    await until(() => auth.inspect().generation === 2)
  })

  test('waits no longer for a request whose response nobody tells of', async () => {
    const { auth, time, groups, emulator, fetch } = await service()
    await auth.getToken()
    await authorizeRequest(auth, groups)
    time.now += due
    await fetch(groups)
    await quiet()
    expect(emulator.logins).toBe(1)
    time.now += 300_000
    await fetch(groups)
    await until(() => auth.inspect().generation === 2)
  })
})

describe('a request that can be sent only once', () => {
  test('waits for a renewal that is due, so that its token lives long enough', async () => {
    const { fetch, base, time, emulator, auth } = await service()
    await auth.getToken()
    time.now += due
    await fetch(`${base}/user/x`, streamed())
    expect(auth.inspect().generation).toBe(2)
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true })
  })

  test('takes the token that is there where its renewal fails', async () => {
    const { fetch, base, time, emulator, auth } = await service()
    await auth.getToken()
    time.now += due
    emulator.fault({ path: '/user/login', status: 503 })
    await fetch(`${base}/user/x`, streamed())
    expect(emulator.requests.at(-1)).toMatchObject({ path: '/user/x', auth: { ok: true } })
  })

  test('looks for a token that another session got meanwhile', async () => {
    const { session, base, emulator, time } = await service({ store: memoryTokenStore() })
    const [one, other] = [session(), session()]
    await one.getToken()
    await other.getToken()
    await other.invalidate()
    time.now += 1
    const newer = await other.getToken()
    await authFetch(one)(`${base}/user/x`, streamed())
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true })
    expect(await one.getToken()).toBe(newer)
    expect(emulator.logins).toBe(2)
  })

  test('logs in where its token was refused while it looked', async () => {
    const memory = memoryTokenStore()
    let delayed = async (): Promise<void> => {}
    const get: typeof memory.get = async (key) => {
      await delayed()
      return memory.get(key)
    }
    const { auth, base, fetch, groups, emulator } = await service({ store: { ...memory, get } })
    await auth.getToken()
    emulator.revokeTokens()
    let other: Promise<Response> | undefined
    delayed = async () => {
      delayed = async () => {}
      other = fetch(groups)
      await until(() => emulator.requests.at(-1)?.path === '/user/groups')
      await quiet()
    }
    await fetch(`${base}/user/x`, streamed())
    expect((await other)?.status).toBe(200)
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true })
    expect(emulator.logins).toBe(2)
  })

  test('rejects at once where its caller gives up', async () => {
    const { fetch, base, time, emulator, auth } = await service()
    await auth.getToken()
    time.now += due
    emulator.fault({ path: '/user/login', latencyMs: 200, times: 1 })
    const controller = new AbortController()
    const response = fetch(`${base}/user/x`, { ...streamed(), signal: controller.signal })
    await new Promise(setImmediate)
    controller.abort(new Error('gives up'))
    await expect(response).rejects.toThrow('gives up')
    await until(() => auth.inspect().generation === 2)
  })
})

/** Long enough for a login on loopback that should not be made. */
async function quiet(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100))
}
