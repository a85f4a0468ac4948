import { createDecipheriv, pbkdf2Sync } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '@svc/auth-hooks'
import type { SharedTokenStore } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { primary, service } from '../support/service.ts'
import {
  createSeal,
  internalsOf,
  readUserCredentials,
  type SessionCredentials,
} from '../testing.ts'

/** A store whose keeper reads and writes what it likes. */
function openStore() {
  const store = memoryTokenStore()
  const keys = new Set<string>()
  const written: unknown[] = []
  const spied: SharedTokenStore = {
    ...store,
    get: async (key) => {
      keys.add(key)
      return store.get(key)
    },
    async compareAndSwap(key, record, write) {
      written.push({ key, record, write })
      return store.compareAndSwap(key, record, write)
    },
    async lock(key, lock) {
      written.push({ key, lock })
      return store.lock(key, lock)
    },
  }
  return { store, spied, keys, written }
}

describe('a store', () => {
  test('never sees token, user, parent, password or base URL, in any encoding', async () => {
    const { spied, written } = openStore()
    const { auth, server, emulator, time } = await service({ store: spied })
    const token = await auth.getToken()
    emulator.fault({ path: '/user/login', status: 401 })
    time.now += 24 * 3_600_000
    await expect(auth.getToken()).rejects.toThrow('401')
    const text = inspect(written, { depth: 10, maxStringLength: null })
    const opened = [...text.matchAll(/[\w-]{16,}/g)].map(([part]) => decoded(part)).join(' ')
    expect(written).toHaveLength(4)
    for (const secret of [token, ...token.split('.'), ...Object.values(primary), server.url.host]) {
      for (const form of forms(secret)) {
        expect(text).not.toContain(form)
        expect(opened).not.toContain(form)
      }
    }
  })

  test('cannot plant a token: neither one of its own nor that of another account', async () => {
    const { store, spied, keys } = openStore()
    const other = { ...primary, username: 'other' }
    const { session, emulator } = await service({ store: spied }, { users: [primary, other] })
    const foreign = await session({ credentials: other }).getToken()
    const planted = (await store.get([...keys][0] ?? '')) ?? { generation: 0, sealed: '' }
    const wrong = session({ credentials: { ...primary, password: 'wrong' } })
    await expect(wrong.getToken()).rejects.toMatchObject({ status: 401 })
    for (const sealed of [planted.sealed, btoa('{"token":{"value":"planted"}}'), '', '€ %', 'A']) {
      const poisoned: SharedTokenStore = {
        ...memoryTokenStore(),
        get: async () => ({ generation: planted.generation, sealed }),
      }
      const token = await session({ store: poisoned }).getToken()
      expect(token).not.toBe(foreign)
      expect(token).not.toContain('planted')
    }
    expect(emulator.logins).toBe(6)
  })

  test('cannot pass an old record off as a new one', async () => {
    const { store, spied, keys } = openStore()
    const { session } = await service({ store: spied })
    const first = await session().getToken()
    const old = await store.get([...keys][0] ?? '')
    const renumbered: SharedTokenStore = {
      ...memoryTokenStore(),
      get: async () => old && { ...old, generation: old.generation + 1 },
    }
    expect(await session({ store: renumbered }).getToken()).not.toBe(first)
  })

  test('gives nothing to a wrong password of the same account', async () => {
    const { spied, keys } = openStore()
    const { session } = await service({ store: spied })
    await session().getToken()
    const wrong = session({ credentials: { ...primary, password: `${primary.password} ` } })
    await expect(wrong.getToken()).rejects.toMatchObject({ status: 401 })
    expect(keys.size).toBe(2)
  })
})

describe('a seal', () => {
  const loginUrl = new URL('https://search.example.com/user/login')
  const header = 'x-svc-security-token'
  const sealFor = async (
    credentials: { username: string; password: string; parentUid?: string },
    rounds = 1,
  ) => {
    return createSeal(
      [loginUrl.href, header],
      // They are usable.
      readUserCredentials(credentials) as SessionCredentials,
      rounds,
    )
  }
  const content = { token: { value: 'ünïcode 🔑', issuedAt: 1, expiresAt: 2, replacements: 0 } }

  test('opens what it sealed, in another process too', async () => {
    const sealed = await (await sealFor(primary)).seal(3, content)
    expect(await (await sealFor(primary)).open({ generation: 3, sealed })).toEqual(content)
  })

  test('is AES-GCM under a key of PBKDF2 with SHA-512 and 100 000 rounds', async () => {
    const { sealRounds } = internalsOf(undefined)
    const seal = await sealFor(primary, sealRounds)
    const record = Buffer.from(await seal.seal(3, content), 'base64url')
    const account = [1, loginUrl.href, header]
    const salt = JSON.stringify(account)
    const key = `${JSON.stringify(primary.username)},${JSON.stringify(primary.password)},false`
    const derived = pbkdf2Sync(key, salt, 100_000, 64, 'sha512')
    expect(seal.key).toBe(derived.subarray(32).toString('base64url'))
    const decipher = createDecipheriv(
      'aes-256-gcm',
      derived.subarray(0, 32),
      record.subarray(0, 12),
    )
    decipher.setAAD(Buffer.from(JSON.stringify([...account, 3])))
    decipher.setAuthTag(record.subarray(-16))
    const plain = Buffer.concat([decipher.update(record.subarray(12, -16)), decipher.final()])
    expect(JSON.parse(plain.toString())).toEqual(content)
  })

  test('seals the same content differently each time', async () => {
    const seal = await sealFor(primary)
    expect(await seal.seal(1, content)).not.toBe(await seal.seal(1, content))
  })

  test('does not open what was changed by a single character', async () => {
    const seal = await sealFor(primary)
    const sealed = await seal.seal(1, content)
    for (let at = 0; at < sealed.length; at += 7) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'Q' : 'A') + sealed.slice(at + 1)
      expect(await seal.open({ generation: 1, sealed: changed })).toBeUndefined()
    }
    expect(await seal.open({ generation: 1, sealed: sealed.slice(0, -4) })).toBeUndefined()
    expect(await seal.open({ generation: 1, sealed: `${sealed}AAAA` })).toBeUndefined()
  })

  test('tells accounts apart that look alike when joined', async () => {
    const keys = await Promise.all(
      [
        { username: 'a', password: 'c', parentUid: 'b' },
        { username: 'ab', password: 'c' },
        { username: 'a', password: 'bc' },
        { username: 'a","b', password: 'c' },
        { username: 'a', password: 'c', parentUid: 'null' },
        { username: 'a', password: 'c' },
      ].map(async (credentials) => (await sealFor(credentials)).key),
    )
    expect(new Set(keys).size).toBe(6)
    for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/)
  })
})

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString('latin1') + Buffer.from(part, 'hex').toString()
}

function forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64url'),
    bytes.toString('base64').replaceAll('=', ''),
  ]
}

test('a random key is told by its form and is not stretched; any other is', async () => {
  const keyWith = async (text: string, rounds: number): Promise<string> => {
    const credentials = { value: {}, key: new Secret(text), secrets: () => [] }
    return (await createSeal(['token'], credentials, rounds)).key
  }
  const random = `random-key:${'aB3-_'.repeat(9).slice(0, 43)}`
  expect(await keyWith(random, 1)).toBe(await keyWith(random, 1000))
  for (const other of [random.slice(0, -1), `${random}a`, `"${random}"`, 'password']) {
    expect(await keyWith(other, 1)).not.toBe(await keyWith(other, 1000))
  }
})
