import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sharingFactory } from '../testing.ts'
import { tabsOf } from './support/tabs.ts'

const hasLocks = Boolean(Reflect.get(navigator, 'locks'))

interface Step {
  readonly tab: number
  readonly does: string
  readonly asksMs: number
  readonly thenMs: number
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    tab: fc.nat(2),
    does: fc.constantFrom('sign in', 'sign out', 'sign out own', 'turn an ear', 'open'),
    asksMs: fc.nat(100),
    thenMs: fc.nat(120),
  }),
  { maxLength: 25 },
)

test.skipIf(!hasLocks)(
  'in any order, all tabs end with one sign-in, and none goes on with another',
  async () => {
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
        for (const { thenMs } of all.slice(0, step)) await pause(thenMs)
        const one = tabs[index]
        if (!one) return
        const ask = async (): Promise<string> => {
          await pause(asksMs)
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
      function pause(ms: number): Promise<void> {
        return new Promise((resolve) => void time.timers.after(ms, resolve))
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
