import { createEmulator, defaultUsers } from '@svc/emulator'
import { describe, expect, test } from 'vitest'
import { type AuthEvent, createTokenAuth } from '@svc/auth-token'
import { browserTokenStore } from '@svc/auth-token/browser-store'
import { createSeal, readUserCredentials, type SessionCredentials } from '../testing.ts'
import { tabsOf } from './support/tabs.ts'

const hasLocks = Boolean(Reflect.get(navigator, 'locks'))
const write = { ttlMs: 1e9 }

describe('the sign-in of a store', () => {
  test('is plain data, and what ask throws is thrown', async () => {
    const { time, openTab } = tabsOf()
    const { store } = openTab({ locks: undefined })
    await expect(time.run(store.signIn(() => undefined))).rejects.toThrow('as plain data')
    const failed = store.signIn(() => Promise.reject(new Error('closed')))
    await expect(time.run(failed)).rejects.toThrow('closed')
    expect(await time.run(store.signIn(() => ({ a: [1] })))).toEqual({ a: [1] })
    expect(await time.run(store.signIn(() => 'not asked'))).toEqual({ a: [1] })
    await time.run(store.signOut())
    await time.run(store.signOut())
    const rubbish = { generation: 4, sealed: 'rubbish' }
    expect(await time.run(store.compareAndSwap('sign-in', rubbish, write))).toBe(true)
    expect(await time.run(store.signIn(() => 'asked'))).toBe('asked')
  })

  test('is forgotten if it is the one that is meant, and a later one stays', async () => {
    const { time, openTab } = tabsOf()
    const { store } = openTab({ locks: undefined })
    const first = await time.run(store.signIn(() => ({ user: 'first' })))
    await time.run(store.signOut({ user: 'another' }))
    expect(await time.run(store.signIn(() => 'not asked'))).toEqual(first)
    await time.run(store.signOut(first))
    const second = await time.run(store.signIn(() => ({ user: 'second' })))
    expect(second).toEqual({ user: 'second' })
    await time.run(store.signOut(first))
    expect(await time.run(store.signIn(() => 'not asked'))).toEqual(second)
    const event = new Event('click')
    await expect(time.run(store.signOut(event))).rejects.toThrow('not an event')
    await time.run(store.signOut())
    expect(await time.run(store.signIn(() => 'third'))).toBe('third')
  })

  test('that was forgotten ends the sessions of a tab that is alone, until the next', async () => {
    const server = await createEmulator().listen()
    const { store } = tabsOf().openTab({ locks: undefined })
    const login = { baseUrl: server.url, credentials: defaultUsers[0], store } as const
    const auth = createTokenAuth({ ...login, session: 'own' })
    const token = await auth.getToken()
    await store.signOut()
    const signedOut = {
      code: 'ERR_AUTH_SIGN_IN_NEEDED',
      message: expect.stringContaining('call store.signIn'),
    }
    for (let call = 0; call < 3; call += 1)
      await expect(auth.getToken()).rejects.toMatchObject(signedOut)
    expect(auth.inspect()).toEqual({ state: 'empty', generation: 1 })
    await store.signIn(() => 'again')
    expect(await auth.getToken()).not.toBe(token)
    await server.close()
  })

  test('is told without asking, where there is one', async () => {
    const { time, openTab } = tabsOf()
    const { store } = openTab({ locks: undefined })
    expect(await time.run(store.signIn())).toBeUndefined()
    await time.run(store.signIn(() => 'first'))
    expect(await time.run(store.signIn())).toBe('first')
    await time.run(store.signOut())
    expect(await time.run(store.signIn())).toBeUndefined()
  })

  test.skipIf(!hasLocks)(
    'that another tab has changed ends what a tab goes on with, and it is told',
    async () => {
      const emulator = createEmulator()
      const server = await emulator.listen()
      const { time, openTab } = tabsOf()
      const told: string[] = []
      const open = (name: string) => openTab({}, { onChange: () => told.push(name) }).store
      const [tab, other] = [open('tab'), open('other')]
      await time.advance(1000)
      expect(await tab.signIn(() => 'a user')).toBe('a user')
      expect(told).toEqual(['other'])
      expect(await other.signIn()).toBe('a user')
      const login = { baseUrl: server.url, credentials: defaultUsers[0], store: tab } as const
      const auth = createTokenAuth({ ...login, session: 'own' })
      await auth.getToken()
      await other.signOut()
      expect(told).toEqual(['other', 'tab'])
      await other.signIn(() => 'another user')
      expect(told).toEqual(['other', 'tab', 'tab'])
      const isOver = {
        code: 'ERR_AUTH_SIGN_IN_NEEDED',
        message: expect.stringContaining('load the page anew'),
      }
      for (let call = 0; call < 2; call += 1)
        await expect(auth.getToken()).rejects.toMatchObject(isOver)
      expect(emulator.logins).toBe(1)
      // To look who is signed in takes nothing over.
      expect(await tab.signIn()).toBe('another user')
      await expect(auth.getToken()).rejects.toMatchObject(isOver)
      expect(await tab.signIn(() => 'not asked')).toBe('another user')
      await expect(auth.getToken()).resolves.toBeTypeOf('string')
      // A page that is opened now goes on with what there is.
      const later = open('later')
      await time.advance(1000)
      await createTokenAuth({ ...login, store: later, session: 'own' }).getToken()
      await server.close()
      expect(told).toHaveLength(3)
    },
  )

  test.skipIf(!hasLocks)(
    'that a tab waits for is given to it, and told to the others: one that is loaded anew would log in again',
    async () => {
      const { time, openTab } = tabsOf()
      const told: string[] = []
      const open = (name: string) => openTab({}, { onChange: () => told.push(name) }).store
      const [tab, waiting] = [open('tab'), open('waiting')]
      open('other')
      await time.advance(1000)
      const asking = tab.signIn(() => time.delay(500).then(() => 'a user'))
      await time.advance(100)
      expect(await time.run(Promise.all([asking, waiting.signIn(() => 'not asked')]))).toEqual([
        'a user',
        'a user',
      ])
      expect(told).toEqual(['other'])
      await time.run(tab.signOut())
      expect(told).toEqual(['other', 'waiting', 'other'])
    },
  )

  test.skipIf(!hasLocks)(
    'that has ended leaves no token to the next one of the same user',
    async () => {
      const server = await createEmulator().listen()
      const { time, openTab } = tabsOf()
      const [tab, other] = [openTab().store, openTab().store]
      await time.advance(1000)
      const login = { baseUrl: server.url, credentials: defaultUsers[0], session: 'own' } as const
      const ask = (): string => 'a user'
      await tab.signIn(ask)
      await other.signIn(ask)
      const auth = createTokenAuth({ ...login, store: tab })
      const token = await auth.getToken()
      expect(await createTokenAuth({ ...login, store: other }).getToken()).toBe(token)
      await other.signOut()
      // Nothing was asked of the session meanwhile.
      await tab.signIn(ask)
      const next = await auth.getToken()
      expect(next).not.toBe(token)
      await other.signIn(ask)
      expect(await createTokenAuth({ ...login, store: other }).getToken()).toBe(next)
      await server.close()
    },
  )

  test.skipIf(!hasLocks)(
    'that a user gives stays although another tab signs out meanwhile',
    async () => {
      const { time, openTab } = tabsOf()
      const [tab, other] = [openTab().store, openTab().store]
      await time.advance(1000)
      let asked = 0
      const signIn = tab.signIn(async () => {
        asked += 1
        await other.signOut()
        return 'a user'
      })
      expect(await signIn).toBe('a user')
      expect(await other.signIn()).toBe('a user')
      expect(asked).toBe(1)
    },
  )

  test('is waited for until the signal aborts', async () => {
    const { time, openTab } = tabsOf()
    const { store } = openTab({ locks: undefined })
    const asking = new AbortController()
    const never = store.signIn(() => new Promise(() => {}), { signal: asking.signal })
    await time.advance(10)
    const waiting = new AbortController()
    const waiter = store.signIn(() => 'second', { signal: waiting.signal })
    await time.advance(1000)
    waiting.abort(new Error('enough'))
    await expect(time.run(waiter)).rejects.toThrow('enough')
    asking.abort(new Error('gone'))
    await expect(time.run(never)).rejects.toThrow('gone')
    expect(await time.run(store.signIn(() => 'third'))).toBe('third')
  })
})

describe('a signal that aborts', () => {
  test('before the user is asked keeps them from being asked', async () => {
    const { time, openTab } = tabsOf()
    const { store } = openTab()
    let asked = 0
    const ask = (): number => (asked += 1)
    const call = store.signIn(ask, { signal: AbortSignal.abort(new Error('enough')) })
    await expect(time.run(call)).rejects.toThrow('enough')
    expect(asked).toBe(0)
  })

  test('ends the wait for a message that was lost while the page was frozen', async () => {
    const { time, openTab } = tabsOf()
    const tab = openTab()
    await time.advance(1000)
    tab.deafen()
    const controller = new AbortController()
    let outcome: unknown = 'pending'
    void tab.store
      .signIn(() => 'asked', { signal: controller.signal })
      .then(
        (signIn) => (outcome = signIn),
        (error: unknown) => (outcome = error),
      )
    await time.advance(100)
    tab.leave()
    tab.comeBack()
    tab.miss()
    await time.advance(1000)
    controller.abort('enough')
    await time.advance(1000)
    expect(outcome).toBe('enough')
  })
})

describe('the options of browserTokenStore', () => {
  test.each([
    [{ name: '' }, 'name must be a non-empty string'],
    [{ name: '-a' }, 'name must not begin with a hyphen'],
    [{ answerMs: -1 }, 'answerMs must be a number of milliseconds from 0 to 60 000'],
    [{ answerMs: Number.NaN }, 'answerMs must be a number'],
    [{ prefix: 'a' }, 'name'],
    [{ onChange: true }, 'onChange must be a function'],
  ])('must be valid: %j', (options, message) => {
    // As a caller without types may give them.
    const open = () => browserTokenStore(options as object)
    expect(open).toThrow(TypeError)
    expect(open).toThrow('[@svc/auth-token] browserTokenStore: ')
    expect(open).toThrow(message)
  })
})
test.skipIf(!hasLocks)('a record of tabs is sealed with a key that is not stretched', async () => {
  const server = await createEmulator().listen()
  const [credentials] = defaultUsers
  const store = browserTokenStore({ name: 'stretched', answerMs: 0 })
  const token = await createTokenAuth({ baseUrl: server.url, credentials, store }).getToken()
  await server.close()
  const account = [new URL('/user/login', server.url).href, 'x-svc-security-token']
  // They are usable.
  const usable = readUserCredentials(credentials) as SessionCredentials
  const seal = await createSeal(account, usable, 1)
  const record = await store.get(seal.key)
  expect(record?.sealed).not.toContain(token)
  expect(await seal.open(record ?? { generation: 0, sealed: '' })).toMatchObject({
    token: { value: token },
  })
})

test('a browser that does not let a page open a channel leaves each tab a session of its own', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  const events: AuthEvent[] = []
  const login = {
    baseUrl: server.url,
    credentials: defaultUsers[0],
    session: 'own',
    onEvent: (event: AuthEvent) => void events.push(event),
  } as const
  for (let tab = 1; tab <= 2; tab += 1) {
    const { store } = tabsOf().openTab({
      locks: navigator.locks,
      openChannel() {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      },
    })
    await createTokenAuth({ ...login, store }).getToken()
    // Those of this tab share it all the same.
    await createTokenAuth({ ...login, store }).getToken()
    expect(emulator.logins).toBe(tab)
  }
  await server.close()
  const unshared = events.filter(({ type }) => type === 'store.unshared')
  expect(unshared[0]).toEqual({
    type: 'store.unshared',
    scheme: 'token',
    origin: server.url.origin,
    missing: hasLocks ? 'broadcast-channel' : 'locks',
  })
  expect(unshared).toHaveLength(4)
})
