import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSessionAuth } from '@svc/auth-token'
import { sharingFactory } from '../testing.ts'
import { hasLocks, tabsOf } from './support/tabs.ts'

interface Step {
  readonly tab: number
  readonly does: string
  readonly user: 'ann' | 'bob'
  readonly asksMs: number
  readonly thenMs: number
}

const stepOf = (...does: string[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      tab: fc.nat(2),
      does: fc.constantFrom(...does),
      user: fc.constantFrom('ann', 'bob'),
      asksMs: fc.nat(100),
      thenMs: fc.nat(120),
    }),
    { maxLength: 25 },
  )

test.skipIf(!hasLocks)(
  'in any order, all tabs end with one sign-in, and none goes on with another',
  async () => {
    const steps = stepOf('sign in', 'sign out', 'sign out own', 'turn an ear', 'open')
    const property = fc.asyncProperty(steps, async (all) => {
      const { time, openTab } = tabsOf()
      const open = () => {
        const tab = openTab()
        const { store } = tab
        // That of a session, of which it is only asked if it is over.
        const sharing = store[sharingFactory](store, { clock: time.clock } as never)
        const { used } = sharing as { readonly used: () => boolean }
        return { tab, store, used, got: undefined as string | undefined, isDeaf: false }
      }
      const tabs = [open(), open(), open()]
      await time.advance(1000)
      const act = async ({ tab: index, does, asksMs }: Step, step: number): Promise<void> => {
        // One after the other.
        for (const { thenMs } of all.slice(0, step)) await time.delay(thenMs)
        const one = tabs[index]
        if (!one) return
        const ask = async (): Promise<string> => {
          await time.delay(asksMs)
          return `user ${step}`
        }
        if (does === 'sign in') one.got = await one.store.signIn(ask)
        if (does === 'sign out') await one.store.signOut()
        if (does === 'sign out own' && one.got !== undefined) await one.store.signOut(one.got)
        if (does === 'open') tabs.push(open())
        if (does !== 'turn an ear') return
        one.isDeaf = !one.isDeaf
        // What it has not heard is kept for it.
        if (one.isDeaf) one.tab.deafen()
        else one.tab.hear()
      }
      // A tab that hears late is held up, and then its call may reject.
      const over = Promise.allSettled(all.map(act))
      await time.advance(4000)
      for (const { tab } of tabs) tab.hear()
      await time.run(over)
      const [first, ...last] = await Promise.all(tabs.map(({ store }) => time.run(store.signIn())))
      expect(new Set(last)).toEqual(new Set([first]))
      const goOn = tabs.filter(({ got, used }) => got !== undefined && !used())
      for (const { got } of goOn) expect(got).toBe(first)
    })
    await fc.assert(property, { numRuns: 200 })
  },
)

/** A page in one of three windows, which is loaded anew once another tab signs in or out. */
interface Page {
  readonly signIn: (user: string, asksMs: number) => Promise<unknown>
  readonly signOut: () => Promise<void>
  /** Resolves to the token with which the page calls its API. */
  readonly call: () => Promise<string>
  readonly deafen: () => void
  readonly hear: () => void
}

/** Three windows and a server, which counts what happens. */
function world(reloadMs: number) {
  const { time, openTab } = tabsOf()
  const windows: Page[] = []
  const state = { happened: 0, signedOut: 0 }
  const next = (): number => (state.happened += 1)
  const open = (window: number): void => {
    const reload = async (): Promise<void> => {
      // The old page is there for a while, and tells others what it knows.
      await time.delay(reloadMs * (window + 1))
      if (windows[window] !== page) return
      tab.close()
      open(window)
    }
    const tab = openTab({}, { onChange: () => void reload() })
    const { store } = tab
    let user: string | undefined
    const auths = new Map<string, ReturnType<typeof createSessionAuth>>()
    const authOf = (name: string) => {
      const auth =
        auths.get(name) ??
        createSessionAuth({
          baseUrl: 'https://api.example.com',
          credentials: { user: name },
          async login() {
            const token = `${name}-${next()}`
            await time.delay(60)
            return { token, expiresInMs: 3_600_000 }
          },
          store,
          clock: time.clock,
          session: 'own',
        })
      auths.set(name, auth)
      return auth
    }
    const page: Page = {
      deafen: () => tab.deafen(),
      hear: () => tab.hear(),
      async signIn(name, asksMs) {
        user = await store.signIn(async () => {
          await time.delay(asksMs)
          return name
        })
      },
      async signOut() {
        const began = next()
        await store.signOut()
        state.signedOut = Math.max(state.signedOut, began)
      },
      async call() {
        user ??= await store.signIn<string>()
        if (user === undefined) return ''
        const signedOut = state.signedOut
        const token = await authOf(user).getToken()
        const [owner, login] = token.split('-')
        expect(owner).toBe(user)
        expect(Number(login)).toBeGreaterThan(signedOut)
        return token
      },
    }
    windows[window] = page
  }
  for (const window of [0, 1, 2]) open(window)
  return { time, windows, state }
}

test.skipIf(!hasLocks)(
  'in any order, no page that is loaded anew uses a token of before a sign-out',
  async () => {
    const steps = stepOf('sign in', 'sign out', 'call', 'call all', 'turn an ear')
    const property = fc.asyncProperty(steps, fc.nat(60), async (all, reloadMs) => {
      const { time, windows } = world(reloadMs)
      await time.advance(1000)
      const deaf = new Set<Page>()
      const wrong: unknown[] = []
      let used = 0
      const call = async (page: Page): Promise<void> => {
        try {
          if (await page.call()) used += 1
        } catch (error) {
          // A page that was signed out meanwhile rejects.
          if (error instanceof Error && error.name === 'AssertionError') wrong.push(error)
        }
      }
      for (const { tab, does, user, asksMs, thenMs } of all) {
        await time.advance(thenMs)
        const page = windows[tab]
        if (!page) continue
        // A page that is closed meanwhile hears nothing any more.
        if (does === 'sign in') void page.signIn(user, asksMs).catch(() => {})
        if (does === 'sign out') void page.signOut().catch(() => {})
        if (does === 'call') void call(page)
        if (does === 'call all') for (const each of windows) void call(each)
        if (does !== 'turn an ear') continue
        if (deaf.delete(page)) page.hear()
        else {
          page.deafen()
          deaf.add(page)
        }
      }
      for (const page of deaf) page.hear()
      await time.advance(3000)
      // Each user in turn, as one does who looks.
      for (const user of ['ann', 'bob', 'ann']) {
        for (const action of [
          () => windows[0]?.signOut(),
          () => windows[1]?.signIn(user, 0),
          () => call(windows[2] as Page),
        ]) {
          const over = Promise.resolve(action()).catch(() => {})
          await time.run(Promise.race([over, time.delay(5000)]))
          await time.advance(1000)
        }
      }
      expect(wrong).toEqual([])
      expect(used).toBeGreaterThanOrEqual(3)
    })
    await fc.assert(property, { numRuns: 60 })
  },
  60_000,
)
