import { createEmulator } from '@svc/emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { insecureHost } from '../../../../tests/support/chromium/browse.ts'
import { loginRequests, primary } from '../support/service.ts'
import { hasChromium, type OpenTab, useBrowser } from '../support/tabs.ts'

const browser = useBrowser()

/** A service, and a window whose tabs use it. */
async function world(kind?: 'private') {
  const emulator = createEmulator()
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const { url } = server
  const service = { baseUrl: url.origin, ...primary }
  const window = await browser.openWindow(kind)
  const open = async (...given: Parameters<typeof window.open>): Promise<OpenTab> => {
    const tab = await window.open(...given)
    await tab.call('useService', service)
    return tab
  }
  const groups = `${url.origin}/user/groups`
  /** Opens a tab whose login gets no response for a while. */
  const openLogin = async (): Promise<{ tab: OpenTab; token: Promise<string> }> => {
    emulator.fault({ path: '/user/login', method: 'POST', times: 1, latencyMs: 8000 })
    const tab = await open()
    const token = tab.call('token').catch(() => 'gone')
    await expect.poll(() => tab.call('events')).toContain('login.start')
    // The preflight was answered, and the login is on its way.
    await expect.poll(() => tab.call('locks')).toHaveLength(1)
    return { tab, token }
  }
  return { emulator, service, groups, ...window, open, openLogin }
}

describe.skipIf(!hasChromium)('tabs of one origin', () => {
  test('pass the checks of a store', async () => {
    const { open } = await browser.openWindow()
    expect(await (await open()).call('conformance')).toEqual([])
  })

  test.each([2, 5])('log in once: %i that open at the same time', async (count) => {
    const { emulator, groups, open } = await world()
    const tabs = await Promise.all(Array.from({ length: count }, () => open()))
    const tokens = await Promise.all(tabs.map((tab) => tab.call('token')))
    expect(new Set(tokens).size).toBe(1)
    expect(emulator.logins).toBe(1)
    const statuses = await Promise.all(tabs.map((tab) => tab.call('status', groups)))
    expect(statuses).toEqual(tabs.map(() => 200))
    for (const tab of tabs) {
      expect(await tab.call('events')).not.toContain('store.failed')
      // A lock that is held keeps a page out of the bfcache.
      expect(await tab.call('locks')).toEqual([])
    }
  })

  test('replace a token that was revoked by one login', async () => {
    const { emulator, groups, open } = await world()
    const tabs = await Promise.all(Array.from({ length: 3 }, () => open()))
    for (let round = 1; round <= 3; round += 1) {
      const statuses = await Promise.all(tabs.map((tab) => tab.call('status', groups)))
      expect(statuses).toEqual([200, 200, 200])
      expect(emulator.logins).toBe(round)
      emulator.revokeTokens()
    }
  })

  test('hand the token to one that opens, also when the one that logged in is closed', async () => {
    const { emulator, open } = await world()
    const [first, second] = [await open(), await open()]
    const token = await first.call('token')
    await first.page.close()
    expect(await second.call('token')).toBe(token)
    const third = await open()
    await second.page.close()
    expect(await third.call('token')).toBe(token)
    await third.page.reload()
    await third.page.close()
    // With the last tab it is gone.
    expect(await (await open()).call('token')).not.toBe(token)
    expect(emulator.logins).toBe(2)
  })

  test('keep nothing but in memory', async () => {
    const { open, context, service } = await world()
    const tabs = [await open(), await open()]
    const tokens = await Promise.all(tabs.map((tab) => tab.call('token')))
    await tabs[0]?.call('useSignIn', { issuer: service.baseUrl, clientId: 'a', refreshToken: 'b' })
    for (const tab of tabs) {
      const leftovers = await tab.call('leftovers')
      expect(JSON.parse(leftovers).slice(0, 3)).toEqual([['{}', '{}'], [], ''])
      for (const secret of [...tokens, service.password]) expect(leftovers).not.toContain(secret)
    }
    expect(await context.cookies()).toEqual([])
  })

  test('of a private window have a login of their own', async () => {
    const { emulator, open, service } = await world()
    const { open: openPrivate } = await browser.openWindow('private')
    const [tab, own] = [await open(), await openPrivate()]
    await own.call('useService', service)
    const token = await tab.call('token')
    expect(await own.call('token')).not.toBe(token)
    expect(emulator.logins).toBe(2)
  })
})

describe.skipIf(!hasChromium)('tabs that are signed out', () => {
  test('log in no more with what they remember, whoever signs in in another; a later page does', async () => {
    const { emulator, open } = await world()
    const [tab, other] = [await open(), await open()]
    for (const each of [tab, other]) await each.call('token')
    await tab.call('signOut')
    for (const each of [other, tab]) {
      expect(await each.call('token')).toBe('ERR_AUTH_SIGN_IN_NEEDED')
      expect(await each.call('token')).toBe('ERR_AUTH_SIGN_IN_NEEDED')
      expect(await each.call('events')).not.toContain('login.paused')
    }
    expect(emulator.logins).toBe(1)
    const later = await open()
    expect(await later.call('token')).toBe(await (await open()).call('token'))
    await later.call('signOut')
    expect(await later.call('token')).toBe('ERR_AUTH_SIGN_IN_NEEDED')
    const before = await Promise.all([tab, other, later].map((each) => each.call('changes')))
    expect(before).toEqual([1, 2, 0])
    await other.call('signInAs', 'another user')
    expect(await other.call('token')).not.toMatch(/^ERR_/)
    for (const each of [tab, later]) {
      expect(await each.call('token')).toBe('ERR_AUTH_SIGN_IN_NEEDED')
      await each.call('signInAs', 'not asked')
      expect(await each.call('token')).not.toMatch(/^ERR_/)
    }
    const after = await Promise.all([tab, other, later].map((each) => each.call('changes')))
    expect(after).toEqual([2, 2, 1])
  })

  test('hand no token to a page that is loaded anew; the only one that is loaded anew has none', async () => {
    const { emulator, open, service } = await world()
    const [tab, other] = [await open(), await open()]
    const token = await tab.call('token')
    expect(await other.call('token')).toBe(token)
    await other.call('signOut')
    const anew = async (): Promise<string> => {
      await tab.page.reload()
      await tab.call('useService', service)
      return tab.call('token')
    }
    const next = await anew()
    expect(next).not.toBe(token)
    // The other has it, and uses none of the two.
    expect(await other.call('token')).toBe('ERR_AUTH_SIGN_IN_NEEDED')
    expect(await anew()).toBe(next)
    await other.page.close()
    expect(await anew()).not.toBe(next)
    expect(emulator.logins).toBe(3)
  })

  test('take no token of a login that was under way', async () => {
    const { tab, token } = await (await world()).openLogin()
    await tab.call('signOut')
    expect(await token).toBe('ERR_AUTH_SIGN_IN_NEEDED')
  })
})

describe.skipIf(!hasChromium)('a tab that is gone in the middle of its login', () => {
  test.each<[how: string, go: (tab: OpenTab) => Promise<unknown>]>([
    ['crashed', (tab) => tab.crash()],
    ['killed', (tab) => browser.kill(tab)],
    ['closed', (tab) => tab.page.close()],
    ['left for another page', (tab) => tab.page.goto('about:blank')],
  ])('holds up nobody: %s', async (_how, go) => {
    const { emulator, open, openLogin } = await world()
    const other = await open()
    const { tab } = await openLogin()
    await go(tab)
    const startedAt = performance.now()
    expect(await other.call('token')).toMatch(/^ey/)
    expect(performance.now() - startedAt).toBeLessThan(3000)
    expect(emulator.logins).toBe(1)
  })
})

describe.skipIf(!hasChromium)('a frozen tab', () => {
  test('keeps its lock, and another logs in after a deadline', async () => {
    const { open, openLogin, groups } = await world()
    const other = await open()
    const { tab, token } = await openLogin()
    await tab.freeze()
    expect(await other.call('locks')).toHaveLength(1)
    const startedAt = performance.now()
    expect(await other.call('token')).toMatch(/^ey/)
    const waitedMs = performance.now() - startedAt
    // It was frozen, and kept its lock: without that, the other had not waited.
    expect(waitedMs).toBeGreaterThan(3000)
    expect(waitedMs).toBeLessThan(8000)
    await tab.resume()
    expect(await tab.call('life')).toEqual(['shown', 'freeze', 'resume'])
    await token
    for (const each of [tab, other]) expect(await each.call('status', groups)).toBe(200)
    expect(await other.call('token')).toBe(await tab.call('token'))
    expect(await other.call('locks')).toEqual([])
  })

  test('that holds no lock holds up nobody, and finds what the others did', async () => {
    const { emulator, groups, open } = await world()
    const [tab, other] = [await open(), await open()]
    await tab.call('token')
    await tab.freeze()
    for (let round = 2; round <= 3; round += 1) {
      emulator.revokeTokens()
      const startedAt = performance.now()
      expect(await other.call('status', groups)).toBe(200)
      expect(performance.now() - startedAt).toBeLessThan(1500)
    }
    await tab.resume()
    expect(await tab.call('life')).toEqual(['shown', 'freeze', 'resume'])
    expect(await tab.call('status', groups)).toBe(200)
    expect(emulator.logins).toBe(3)
  })

  test('in its turn to write holds up another for a second', async () => {
    const { open } = await world()
    const [holder, other] = [await open(), await open()]
    await holder.call('listen')
    await other.call('token')
    const [key = ''] = (await holder.call('heard')).flatMap(
      (message) => /"type":"record","key":"([\w-]+)"/.exec(message)?.[1] ?? [],
    )
    await holder.call('keepTurn', key)
    await holder.freeze()
    await other.call('invalidate')
    const startedAt = performance.now()
    expect(await other.call('token')).toMatch(/^ey/)
    expect(performance.now() - startedAt).toBeLessThan(2500)
    await holder.resume()
    expect(await holder.call('token')).toBe(await other.call('token'))
  })
})

describe.skipIf(!hasChromium)('a page in the bfcache', () => {
  const restored = ['pagehide', 'freeze', 'resume', 'restored']

  test('comes back with its token', async () => {
    const { emulator, open, origin } = await world()
    const tab = await open()
    const token = await tab.call('token')
    await tab.page.goto(`${origin}/other.html`)
    await tab.page.goBack({ waitUntil: 'commit' })
    expect(await tab.call('life')).toEqual(['shown', ...restored])
    expect(await tab.call('token')).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test('does not miss the login of another tab meanwhile', async () => {
    const { emulator, open, origin, service } = await world()
    const [tab, other] = [await open(), await open()]
    for (const each of [tab, other]) await each.call('token')
    await tab.page.goto(`${origin}/other.html`)
    await other.call('invalidate')
    const token = await other.call('token')
    await tab.page.goBack({ waitUntil: 'commit' })
    await tab.call('useService', service)
    await tab.call('invalidate')
    expect(await tab.call('token')).toBe(token)
    expect(emulator.logins).toBe(2)
  })

  test('leaves out no page that once held a lock', async () => {
    const { open, origin } = await world()
    const tab = await open()
    for (let turn = 0; turn < 2; turn += 1) {
      await tab.call('invalidate')
      await tab.call('token')
      await tab.page.goto(`${origin}/other.html`)
      await tab.page.goBack({ waitUntil: 'commit' })
    }
    expect(await tab.call('life')).toEqual(['shown', ...restored, ...restored])
  })
})

describe.skipIf(!hasChromium)('the channel of the tabs', () => {
  test('may have messages of a later version, which are ignored', async () => {
    const { emulator, open } = await world()
    const [tab, later] = [await open(), await open('later.html')]
    const token = await tab.call('token')
    expect(await later.call('token')).not.toBe(token)
    expect(await (await open()).call('token')).toBe(token)
    expect(await (await open('later.html')).call('token')).toBe(await later.call('token'))
    expect(emulator.logins).toBe(2)
    for (const each of [tab, later]) {
      expect(await each.call('events')).toEqual(['login.start', 'login.ok'])
    }
  })

  test('may have anything else', async () => {
    const { open } = await world()
    const [tab, other] = [await open(), await open()]
    const wrong: string[] = []
    for (const each of [tab, other]) each.page.on('pageerror', ({ message }) => wrong.push(message))
    const known = { svcAuth: 1, from: 'rubbish', id: 1, key: 'key', owner: 'x', ttlMs: 1e9 }
    const messages = [
      null,
      'text',
      [1],
      { svcAuth: 1 },
      { ...known, type: 'constructor' },
      { ...known, type: 'toString' },
      { ...known, type: '__proto__' },
      { ...known, type: ['hello'] },
      { ...known, type: 'record', generation: -1, sealed: 'x' },
      { ...known, type: 'record', generation: 1, sealed: 1 },
      { ...known, type: 'record', generation: 1, sealed: 'x', ttlMs: '1' },
      { ...known, type: 'lock', fencingToken: Number.NaN },
      { ...known, type: 'state', to: 'x', records: {}, locks: [] },
      { ...known, type: 'state', to: 'x', records: [null], locks: [1] },
      { ...known, type: 'acknowledged', to: 1 },
      { ...known, type: 'acknowledged', to: 'x', which: 7 },
      { ...known, type: 'unlock', key: 1 },
      { ...known, svcAuth: 2, type: 'unlock', key: { a: 1 } },
    ]
    for (const message of messages) await other.call('say', message)
    const token = await tab.call('token')
    expect(await other.call('token')).toBe(token)
    expect(await (await open()).call('token')).toBe(token)
    expect(wrong).toEqual([])
  })
})

describe.skipIf(!hasChromium)('a browser that cannot share', () => {
  test.each([
    ['locks', "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"],
    ['BroadcastChannel', 'delete globalThis.BroadcastChannel'],
  ])('says so, and each tab has a session of its own: without %s', async (_what, script) => {
    const { emulator, context, groups, open } = await world('private')
    await context.addInitScript(script)
    const tabs = [await open(), await open()]
    for (const tab of tabs) {
      expect(await tab.call('status', groups)).toBe(200)
      const { length } = (await tab.call('events')).filter((type) => type === 'store.unshared')
      expect(length).toBe(1)
    }
    expect(emulator.logins).toBe(2)
  })

  test('since its page is no secure context, logs in all the same', async () => {
    const { emulator, groups, open, origin } = await world()
    const at = origin.replace('127.0.0.1', insecureHost)
    const tab = await open('tab.html', at)
    expect(await tab.call('status', groups)).toBe(200)
    emulator.revokeTokens()
    expect(await tab.call('status', groups)).toBe(200)
    expect(loginRequests({ emulator })).toBeGreaterThan(1)
    const events = await tab.call('events')
    expect(events.filter((type) => type === 'store.unshared')).toHaveLength(1)
    expect(events).not.toContain('store.failed')
  })
})
