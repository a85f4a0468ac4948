import { describe, expect, test } from 'vitest'
import { browserTokenStore } from '@svc/auth-token/browser-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'
import { tabsOf } from './support/tabs.ts'

// Node has Web Locks from version 24.5 on.
const hasLocks = Boolean(Reflect.get(navigator, 'locks'))
const first = { generation: 1, sealed: 'first' }
const second = { generation: 2, sealed: 'second' }
const write = { ttlMs: 1e9 }

/** Tells if a promise is settled once everything that waits for no time has happened. */
async function isOver(
  promise: Promise<unknown>,
  ms: number,
  time: { advance(ms: number): Promise<void> },
) {
  const state = { isOver: false }
  const over = (): void => void (state.isOver = true)
  promise.then(over, over)
  await time.advance(ms)
  return state.isOver
}

describe.skipIf(!hasLocks)('a store in the memory of tabs', () => {
  const open = () => browserTokenStore({ name: 'conformance', answerMs: 50 })
  const stores = [open(), open()]
  let opened = 0
  const checks = tokenStoreConformance(() => stores[(opened += 1) % 2] ?? open())
  test.concurrent.each(checks)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })

  test('waits for an answer where it is opened, and no longer than told', async () => {
    const { time, openTab } = tabsOf()
    const reading = openTab().store.get('key')
    expect(await isOver(reading, 299, time)).toBe(false)
    expect(await isOver(reading, 1, time)).toBe(true)
    expect(await isOver(openTab().store.get('key'), 0, time)).toBe(true)
  })

  test('gets what the others know, also where they tell it late', async () => {
    const { time, openTab } = tabsOf()
    const tab = openTab()
    await time.run(tab.store.compareAndSwap('key', first, write))
    expect(await time.run(openTab().store.get('key'))).toEqual(first)
    tab.deafen()
    const late = openTab()
    // The second tab would answer, too.
    late.deafen()
    const reading = late.store.get('key')
    expect(await isOver(reading, 400, time)).toBe(false)
    late.hear()
    expect(await time.run(reading)).toEqual(first)
  })

  test('writes once each tab that is there has acknowledged it, and waits once for one that is silent', async () => {
    const { time, openTab } = tabsOf()
    const [tab, other] = [openTab(), openTab()]
    for (const { store } of [tab, other]) await time.run(store.get('key'))
    other.deafen()
    const writing = tab.store.compareAndSwap('key', first, write)
    expect(await isOver(writing, 299, time)).toBe(false)
    other.hear()
    expect(await isOver(writing, 0, time)).toBe(true)
    other.mute()
    const silent = tab.store.compareAndSwap('key', second, write)
    expect(await isOver(silent, 299, time)).toBe(false)
    expect(await isOver(silent, 1, time)).toBe(true)
    expect(await silent).toBe(true)
    const next = tab.store.compareAndSwap('key', { generation: 3, sealed: 'third' }, write)
    expect(await isOver(next, 0, time)).toBe(true)
  })

  test('does not wait for a tab that has said that it is away, until it is back', async () => {
    const { time, openTab } = tabsOf()
    const [tab, other] = [openTab(), openTab()]
    for (const { store } of [tab, other]) await time.run(store.get('key'))
    other.leave()
    await time.advance(0)
    other.deafen()
    expect(await isOver(tab.store.compareAndSwap('key', first, write), 0, time)).toBe(true)
    other.hear()
    other.comeBack()
    expect(await time.run(other.store.get('key'))).toEqual(first)
    other.deafen()
    const writing = tab.store.compareAndSwap('key', second, write)
    expect(await isOver(writing, 299, time)).toBe(false)
    other.hear()
    expect(await time.run(writing)).toBe(true)
    expect(await time.run(other.store.get('key'))).toEqual(second)
  })

  test('does not take the word of a tab that has just been opened, too', async () => {
    const { time, openTab } = tabsOf()
    const tab = openTab()
    await time.run(tab.store.compareAndSwap('key', first, write))
    tab.deafen()
    const [one, other] = [openTab(), openTab()]
    const reading = Promise.all([one.store.get('key'), other.store.get('key')])
    await time.advance(200)
    tab.hear()
    expect(await time.run(reading)).toEqual([first, first])
  })

  test('asks what was said while it was away, where its browser has dropped that', async () => {
    const { time, openTab } = tabsOf()
    const [tab, other] = [openTab(), openTab()]
    for (const { store } of [tab, other]) await time.run(store.get('key'))
    tab.leave()
    await time.advance(0)
    tab.deafen()
    await time.run(other.store.compareAndSwap('key', first, write))
    tab.miss()
    tab.comeBack()
    expect(await time.run(tab.store.get('key'))).toEqual(first)
  })

  test('keeps the first of two records of the same number', async () => {
    const { time, openTab } = tabsOf()
    const [tab, other] = [openTab(), openTab()]
    for (const { store } of [tab, other]) await time.run(store.get('key'))
    tab.mute()
    await time.run(tab.store.compareAndSwap('key', first, write))
    await time.run(other.store.compareAndSwap('key', { ...first, sealed: 'other' }, write))
    expect(await time.run(tab.store.get('key'))).toEqual(first)
  })

  test('takes a record whose predecessors it missed', async () => {
    const { time, openTab } = tabsOf()
    const tab = openTab()
    await time.run(tab.store.compareAndSwap('key', first, write))
    tab.mute()
    const other = openTab()
    await time.run(other.store.compareAndSwap('key', { ...first, sealed: 'other' }, write))
    await time.run(other.store.compareAndSwap('key', second, write))
    expect(await time.run(tab.store.get('key'))).toEqual(second)
  })

  test('gives a lock that is overdue to another, after a grace, and its owner writes nothing', async () => {
    const { time, openTab } = tabsOf()
    const [tab, other] = [openTab(), openTab()]
    const dead = await time.run(tab.store.lock('key', { owner: 'tab', ttlMs: 5000 }))
    await time.run(other.store.get('key'))
    const lock = () => time.run(other.store.lock('key', { owner: 'other', ttlMs: 5000 }))
    // Its timer is that of all tabs here, and would free the lock: a frozen tab has none.
    tab.deafen()
    await time.advance(3000)
    expect(await lock()).toBeUndefined()
    const fencingToken = await stolen(lock, time.advance)
    expect(fencingToken).toBeGreaterThan(dead ?? Infinity)
    tab.hear()
    const late = tab.store.compareAndSwap('key', first, { ...write, fencingToken: dead })
    expect(await time.run(late)).toBe(false)
    const inTime = other.store.compareAndSwap('key', first, { ...write, fencingToken })
    expect(await time.run(inTime)).toBe(true)
  })

  test('gives a lock whose owner was never heard to another after five seconds and a grace', async () => {
    const { time, name, openTab } = tabsOf()
    const { store } = openTab()
    // Its owner is a tab that says nothing.
    const held = new Promise<unknown>((resolve) => {
      navigator.locks.request(`${name}:key`, () => new Promise(() => {})).catch(resolve)
    })
    const startedAt = time.now
    const lock = () => time.run(store.lock('key', { owner: 'own', ttlMs: 60_000 }))
    while ((await lock()) === undefined) await time.advance(100)
    expect(time.now - startedAt).toBeGreaterThanOrEqual(6000)
    expect(time.now - startedAt).toBeLessThan(7500)
    expect(await held).toMatchObject({ name: 'AbortError' })
  })

  test('leaves a lock to its owner while that extends it', async () => {
    const { time, openTab } = tabsOf()
    const [tab, other] = [openTab(), openTab()]
    const own = { owner: 'tab', ttlMs: 5000 }
    const fencingToken = await time.run(tab.store.lock('key', own))
    for (let turn = 0; turn < 10; turn += 1) {
      await time.advance(1600)
      expect(await time.run(tab.store.lock('key', own))).toBe(fencingToken)
      const taken = other.store.lock('key', { owner: 'other', ttlMs: 5000 })
      expect(await time.run(taken)).toBeUndefined()
    }
  })

  test('has one owner of a lock that several steal at once, at the most', async () => {
    const { time, name, openTab } = tabsOf()
    void navigator.locks.request(`${name}:key`, () => new Promise(() => {})).catch(() => {})
    const tabs = [openTab(), openTab(), openTab()]
    let owners: (number | undefined)[] = []
    for (let turn = 0; turn < 100 && !owners.some(Boolean); turn += 1) {
      const taken = tabs.map(({ store }, n) => store.lock('key', { owner: `${n}`, ttlMs: 5000 }))
      owners = await time.run(Promise.all(taken))
      await time.advance(200)
    }
    expect(owners.filter(Boolean)).toHaveLength(1)
  })

  test('writes nothing with a lock that was stolen, before the thief has said so', async () => {
    const { time, name, openTab } = tabsOf()
    const { store } = openTab()
    const fencingToken = await time.run(store.lock('key', { owner: 'own', ttlMs: 5000 }))
    await navigator.locks.request(`${name}:key`, { steal: true }, () => {})
    expect(await time.run(store.compareAndSwap('key', first, { ...write, fencingToken }))).toBe(
      false,
    )
    expect(await time.run(store.compareAndSwap('key', first, write))).toBe(true)
  })

  test('takes its turn to write from a tab that keeps it for a second', async () => {
    const { time, name, openTab } = tabsOf()
    const { store } = openTab()
    void navigator.locks.request(`${name}:key:write`, () => new Promise(() => {})).catch(() => {})
    await time.run(store.get('key'))
    const writing = store.compareAndSwap('key', first, write)
    expect(await isOver(writing, 999, time)).toBe(false)
    expect(await isOver(writing, 1, time)).toBe(true)
    expect(await writing).toBe(true)
  })

  test('writes nothing in a turn for which the tab was held up', async () => {
    const { time, openTab } = tabsOf()
    const tab = openTab()
    await time.run(tab.store.get('key'))
    tab.deafen()
    const writing = tab.store.compareAndSwap('key', first, write)
    await time.advance(600)
    tab.hear()
    await expect(time.run(writing)).rejects.toThrow('the page was held up')
    expect(await time.run(tab.store.get('key'))).toBeUndefined()
  })
})

/** Asks for a lock until it is there. */
async function stolen(
  lock: () => Promise<number | undefined>,
  advance: (ms: number) => Promise<void>,
): Promise<number> {
  for (;;) {
    const fencingToken = await lock()
    if (fencingToken !== undefined) return fencingToken
    await advance(100)
  }
}
