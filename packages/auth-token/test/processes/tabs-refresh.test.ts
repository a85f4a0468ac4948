import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { authorizationServer, holdNextExchange } from '../oauth2/support/authorization-server.ts'
import { hasChromium, type OpenTab, useBrowser } from '../support/tabs.ts'

const browser = useBrowser()

/** A user who has signed in, and a window whose tabs use that sign-in. */
async function world(loginTimeoutMs = 15_000) {
  const server = await authorizationServer()
  const window = await browser.openWindow()
  const { issuer } = server
  const signIn = {
    issuer,
    tokenEndpoint: `${issuer}/token`,
    clientId: 'app',
    refreshToken: await server.signIn(),
    loginTimeoutMs,
  }
  const open = async (): Promise<OpenTab> => {
    const tab = await window.open()
    await tab.call('useSignIn', signIn)
    return tab
  }
  return { ...server, ...window, signIn: server.signIn, login: signIn, open }
}

/** Gets a token in place of the one that a tab has: one that has none takes that of the others. */
async function renew(tab: OpenTab): Promise<string> {
  await tab.call('invalidate')
  return tab.call('token')
}

const isToken = /^[\w-]{43}$/

describe.skipIf(!hasChromium)('a rotating refresh token in tabs', () => {
  test('is spent once, however many tabs renew at the same time', async () => {
    const { open, spent } = await world()
    const tabs = await Promise.all(Array.from({ length: 5 }, () => open()))
    for (let round = 1; round <= 2; round += 1) {
      const tokens = await Promise.all(tabs.map((tab) => renew(tab)))
      for (const token of tokens) expect(token).toMatch(isToken)
      expect(new Set(spent())).toEqual(new Set([1]))
    }
    expect(spent().length).toBeGreaterThanOrEqual(2)
  })

  test('is handed to a tab that opens, after the one that got it is gone', async () => {
    const { open, spent } = await world()
    let tab = await open()
    await tab.call('token')
    for (let turn = 1; turn <= 4; turn += 1) {
      expect(await renew(tab)).toMatch(isToken)
      const next = await open()
      await next.call('token')
      await (turn % 2 ? tab.page.close() : tab.crash())
      tab = next
    }
    expect(await renew(tab)).toMatch(isToken)
    expect(spent()).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('whose sender is killed with it is never sent again, and that is told in time', async () => {
    const { open, spent, world: server } = await world(2000)
    const [tab, other] = [await open(), await open()]
    for (const each of [tab, other]) expect(await each.call('token')).toMatch(isToken)
    const held = holdNextExchange(server)
    const token = renew(tab).catch(() => 'gone')
    await expect.poll(held.isHeld).toBe(true)
    await tab.crash()
    expect(await token).toBe('gone')
    const startedAt = performance.now()
    expect(await renew(other)).toBe('ERR_AUTH_REFRESH_LOST')
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    held.release()
    const third = await open()
    // The token before is good until it ends.
    expect(await third.call('token')).toMatch(isToken)
    expect(await renew(third)).toBe('ERR_AUTH_REFRESH_LOST')
    expect(spent()).toEqual([1, 1])
  })

  test('whose sender is frozen is waited for, and its response heals all', async () => {
    const { open, spent, world: server } = await world(4000)
    const [tab, other] = [await open(), await open()]
    for (const each of [tab, other]) expect(await each.call('token')).toMatch(isToken)
    const held = holdNextExchange(server)
    const token = renew(tab)
    await expect.poll(held.isHeld).toBe(true)
    await tab.freeze()
    held.release()
    const late = renew(other)
    await delay(3000)
    await tab.resume()
    expect(await tab.call('life')).toEqual(['shown', 'freeze', 'resume'])
    expect(await token).toMatch(isToken)
    expect(await late).toBe(await token)
    expect(spent()).toEqual([1, 1])
  })

  test('is not sent by a tab that was frozen with the lock, and from which it was stolen', async () => {
    const { open, spent } = await world()
    const [tab, other, third] = [await open(), await open(), await open()]
    await third.call('listen')
    for (const each of [tab, other]) await each.call('token')
    const key = await keyOf(third)
    // The tab gets the lock, and waits for its turn to write that the refresh token is on its way.
    await third.call('keepTurn', key)
    await tab.call('invalidate')
    const late = tab.call('token')
    await expect.poll(() => tab.call('events')).toSatisfy(hasBegunTwice)
    await tab.freeze()
    await third.page.close()
    const startedAt = performance.now()
    const token = await renew(other)
    expect(token).toMatch(isToken)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(spent()).toEqual([1, 1])
    await tab.resume()
    expect(await tab.call('life')).toEqual(['shown', 'freeze', 'resume'])
    expect([token, 'ERR_AUTH_STORE', 'ERR_AUTH_LOGIN_TIMEOUT']).toContain(await late)
    await expect.poll(() => tab.call('token'), { timeout: 20_000 }).toBe(token)
    expect(await other.call('locks')).toEqual([])
    expect(spent()).toEqual([1, 1])
  })

  test('is not sent again by a tab that was frozen while others renewed, and are gone', async () => {
    const { open, spent } = await world()
    const [tab, other] = [await open(), await open()]
    for (const each of [tab, other]) await each.call('token')
    await tab.freeze()
    for (let turn = 0; turn < 2; turn += 1) expect(await renew(other)).toMatch(isToken)
    await other.crash()
    await tab.resume()
    expect(await renew(tab)).toMatch(isToken)
    expect(spent()).toEqual([1, 1, 1, 1])
  })

  test('is not sent again by a page that was in the bfcache meanwhile', async () => {
    const { open, spent, origin, login } = await world()
    const [tab, other] = [await open(), await open()]
    for (const each of [tab, other]) await each.call('token')
    await tab.page.goto(`${origin}/other.html`)
    expect(await renew(other)).toMatch(isToken)
    await tab.page.goBack({ waitUntil: 'commit' })
    // It was a message for it, so the browser has loaded the page anew.
    expect(await tab.call('life')).toEqual(['shown'])
    await tab.call('useSignIn', login)
    expect(await tab.call('token')).toBe(await other.call('token'))
    expect(await renew(tab)).toMatch(isToken)
    expect(spent()).toEqual([1, 1, 1])
  })

  test('goes on with a page that was in the bfcache alone', async () => {
    const { open, spent, origin } = await world()
    const tab = await open()
    await tab.call('token')
    await tab.page.goto(`${origin}/other.html`)
    await tab.page.goBack({ waitUntil: 'commit' })
    expect(await tab.call('life')).toContain('restored')
    expect(await renew(tab)).toMatch(isToken)
    expect(spent()).toEqual([1, 1])
  })
})

describe.skipIf(!hasChromium)('a sign-in', () => {
  test('is asked for once, and handed to each tab that opens', async () => {
    const { spent, login, signIn } = await world()
    const window = await browser.openWindow()
    const tabs = await Promise.all([window.open(), window.open(), window.open()])
    const own = [login.refreshToken, await signIn(), await signIn()]
    const given = await Promise.all(
      tabs.map((tab, n) => tab.call('signIn', { ...login, refreshToken: own[n] ?? '' })),
    )
    expect(new Set(given).size).toBe(1)
    await Promise.all(tabs.map((tab) => tab.call('token')))
    expect(spent()).toEqual([1])
    const [first, second, third] = tabs
    await first.page.close()
    await second.page.close()
    const fourth = await window.open()
    expect(await fourth.call('signIn', { ...login, refreshToken: await signIn() })).toBe(given[0])
    expect(await fourth.call('token')).toBe(await third.call('token'))
    expect(spent()).toEqual([1])
  })

  test('is asked for anew with the first tab after the last, and after it was forgotten', async () => {
    const { login, signIn } = await world()
    const window = await browser.openWindow()
    const tab = await window.open()
    expect(await tab.call('signIn', login)).toBe(login.refreshToken)
    await tab.page.close()
    const next = { ...login, refreshToken: await signIn() }
    const other = await window.open()
    expect(await other.call('signIn', next)).toBe(next.refreshToken)
    await other.call('signOut')
    const last = { ...login, refreshToken: await signIn() }
    expect(await (await window.open()).call('signIn', last)).toBe(last.refreshToken)
  })

  test('that the server has ended is forgotten by each tab, and asked for once', async () => {
    const { login, signIn } = await world()
    const window = await browser.openWindow()
    const tabs = [await window.open(), await window.open(), await window.open()]
    for (const tab of tabs) await tab.call('signIn', login)
    const given: string[] = []
    for (const tab of tabs) {
      await tab.call('signOutOwn')
      given.push(await tab.call('signIn', { ...login, refreshToken: await signIn() }))
    }
    expect(new Set(given).size).toBe(1)
    expect(given[0]).not.toBe(login.refreshToken)
    const tokens = await Promise.all(tabs.map((tab) => tab.call('token')))
    expect(new Set(tokens)).toEqual(new Set([expect.stringMatching(isToken)]))
  })

  test('that was forgotten is used in no tab any more, until the user signs in again', async () => {
    const { login, signIn, spent } = await world()
    const window = await browser.openWindow()
    const [tab, other, frozen] = [await window.open(), await window.open(), await window.open()]
    const tabs = [tab, other, frozen]
    for (const each of tabs) {
      await each.call('signIn', login)
      expect(await each.call('token')).toMatch(isToken)
    }
    await frozen.freeze()
    await other.call('signOut')
    await frozen.resume()
    for (let turn = 0; turn < 2; turn += 1) {
      for (const each of tabs) expect(await each.call('token')).toBe('ERR_AUTH_SIGN_IN_NEEDED')
    }
    await tab.call('invalidate')
    expect(await tab.call('token')).toBe('ERR_AUTH_SIGN_IN_NEEDED')
    expect(spent()).toEqual([1])
    const next = { ...login, refreshToken: await signIn() }
    expect(await other.call('signIn', next)).toBe(next.refreshToken)
    expect(await other.call('token')).toMatch(isToken)
    expect(await tab.call('signIn', login)).toBe(next.refreshToken)
    expect(await tab.call('token')).toBe(await other.call('token'))
  })

  test('is handed on by a frozen tab, whose timers and responses alone stand still', async () => {
    const { login, signIn, spent } = await world()
    const window = await browser.openWindow()
    const tab = await window.open()
    await tab.call('signIn', login)
    const token = await tab.call('token')
    await tab.freeze()
    const other = await window.open()
    const own = { ...login, refreshToken: await signIn() }
    expect(await other.call('signIn', own)).toBe(login.refreshToken)
    expect(await other.call('token')).toBe(token)
    expect(await renew(other)).toMatch(isToken)
    await tab.resume()
    expect(await tab.call('life')).toEqual(['shown', 'freeze', 'resume'])
    expect(await renew(tab)).toMatch(isToken)
    expect(spent()).toEqual([1, 1, 1])
  })

  test('that is being asked for in a frozen tab is asked for in another', async () => {
    const { login, signIn } = await world()
    const window = await browser.openWindow()
    const [tab, other] = [await window.open(), await window.open()]
    await tab.call('signInNever')
    await expect.poll(() => tab.call('locks')).toHaveLength(1)
    await tab.freeze()
    const own = { ...login, refreshToken: await signIn() }
    const startedAt = performance.now()
    expect(await other.call('signIn', own)).toBe(own.refreshToken)
    expect(performance.now() - startedAt).toBeGreaterThan(3000)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    await tab.resume()
    expect(await tab.call('life')).toEqual(['shown', 'freeze', 'resume'])
    expect(await tab.call('signIn', { ...login, refreshToken: 'another' })).toBe(own.refreshToken)
  })
})

/** Returns the key of the record that a tab heard of. */
async function keyOf(tab: OpenTab): Promise<string> {
  const heard = await tab.call('heard')
  const keys = heard.map((message) => /"type":"record","key":"([\w-]+)"/.exec(message)?.[1])
  return keys.find(Boolean) ?? ''
}

function hasBegunTwice(events: readonly string[]): boolean {
  return events.filter((type) => type === 'login.start').length === 2
}
