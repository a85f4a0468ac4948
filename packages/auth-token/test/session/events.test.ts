import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { service, until } from '../support/service.ts'

test('each transition is an event, on the diagnostics channel too', async () => {
  const published: unknown[] = []
  const publish = (event: unknown): void => void published.push(event)
  subscribe('svc-auth', publish)
  try {
    const store = memoryTokenStore()
    const { auth, fetch, groups, emulator, time, events, session } = await service({ store })
    const all: unknown[] = []
    const types = (): string[] => {
      all.push(...events)
      return events.splice(0).map(({ type }) => type)
    }

    await auth.getToken()
    expect(types()).toEqual(['login.start', 'login.ok'])
    await fetch(groups)
    expect(types()).toEqual(['token.reused'])
    await session().getToken()
    expect(types()).toEqual(['token.adopted'])

    emulator.revokeTokens()
    await fetch(groups)
    expect(types()).toEqual(['token.reused', 'token.rejected', 'login.start', 'login.ok'])

    time.now += 24 * 3_600_000 - 300_000
    await auth.getToken()
    await until(() => events.length === 2)
    expect(types()).toEqual(['login.start', 'login.ok'])

    await auth.invalidate()
    expect(types()).toEqual(['token.invalidated'])

    emulator.fault({ path: '/user/login', status: 401 })
    await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
    expect(types()).toEqual(['login.start', 'login.failed', 'login.paused'])
    expect(published).toEqual(all)
  } finally {
    unsubscribe('svc-auth', publish)
  }
})
