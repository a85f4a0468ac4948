import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { type ApiKey, createSigV4Auth } from '@svc/auth-sigv4'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { describe, expect, test } from 'vitest'
import { credentialSource, readApiKey, signingDates, signingKeys } from '../testing.ts'

describe('a provider of credentials', () => {
  const setUp = (lifetimeMs?: number) => {
    const state = { now: 1_000_000, asked: 0, fails: false, lifetimeMs }
    const source = credentialSource(
      async (): Promise<ApiKey> => {
        state.asked += 1
        if (state.fails) throw new Error('metadata service')
        return {
          accessKeyId: `AKID${state.asked}`,
          secretAccessKey: 'secret',
          ...(state.lifetimeMs !== undefined && { expiresAt: state.now + state.lifetimeMs }),
        }
      },
      () => state.now,
      'a caller',
    )
    return { state, source }
  }

  /** A provider that is asked, is overdue, and is asked again; each key is given by the test. */
  const askTwice = () => {
    let now = 0
    const resolvers: ((key: ApiKey) => void)[] = []
    const source = credentialSource(
      () => new Promise((resolve) => resolvers.push(resolve)),
      () => now,
      'a caller',
    )
    const late = source()
    now = 15_000
    return { source, resolvers, late, second: source() }
  }

  test('is asked once however many wait', async () => {
    const { state, source } = setUp(3_600_000)
    const keys = await Promise.all(Array.from({ length: 100 }, async () => source()))
    expect(new Set(keys.map((key) => key.accessKeyId))).toEqual(new Set(['AKID1']))
    await source()
    expect(state.asked).toBe(1)
  })

  test('is asked ahead of the end while the old key goes on, and a failure there disturbs nobody', async () => {
    const { state, source } = setUp(3_600_000)
    await source()
    state.now += 3_600_000 - 60_000
    state.fails = true
    expect(await source()).toMatchObject({ accessKeyId: 'AKID1' })
    expect(state.asked).toBe(2)
    await Promise.resolve()
    state.fails = false
    await new Promise(setImmediate)
    await source()
    expect(state.asked).toBe(2)
    // After a pause, so that a token service that fails is left in peace.
    state.now += 30_000
    expect(await source()).toMatchObject({ accessKeyId: 'AKID1' })
    await new Promise(setImmediate)
    expect(await source()).toMatchObject({ accessKeyId: 'AKID3' })
  })

  test('is asked again after the end, and its failure is a typed error', async () => {
    const { state, source } = setUp(3_600_000)
    await source()
    state.now += 3_600_000
    state.fails = true
    await expect(source()).rejects.toMatchObject({
      code: 'ERR_AUTH_CREDENTIALS',
      message: '[@svc/auth-sigv4] the credentials function failed',
      cause: new Error('metadata service'),
    })
  })

  test('is asked ahead from 5 minutes before the end, and not earlier', async () => {
    const { state, source } = setUp(3_600_000)
    await source()
    state.now += 3_600_000 - 300_001
    await source()
    expect(state.asked).toBe(1)
    state.now += 1
    await source()
    expect(state.asked).toBe(2)
  })

  test('of a key that ends soon is asked after half of its time', async () => {
    const { state, source } = setUp(60_000)
    await source()
    state.now += 29_999
    await source()
    expect(state.asked).toBe(1)
    state.now += 1
    await source()
    await new Promise(setImmediate)
    expect(await source()).toMatchObject({ accessKeyId: 'AKID2' })
    expect(state.asked).toBe(2)
  })

  test('of a key that is over is a typed error, and is asked again after a pause', async () => {
    const { state, source } = setUp(0)
    const expired = {
      code: 'ERR_AUTH_CREDENTIALS',
      message:
        '[@svc/auth-sigv4] the credentials function returned a key that expired at 1970-01-01T00:16:40.000Z; ' +
        'it is 1970-01-01T00:16:40.000Z here',
      retryAt: 1_005_000,
    }
    await expect(source()).rejects.toMatchObject(expired)
    state.now += 4999
    await expect(source()).rejects.toMatchObject(expired)
    expect(state.asked).toBe(1)
    state.now += 1
    await expect(source()).rejects.toMatchObject({ retryAt: 1_010_000 })
    expect(state.asked).toBe(2)
  })

  test('that renews a key with one that is over leaves the key in use', async () => {
    const { state, source } = setUp(3_600_000)
    await source()
    state.now += 3_600_000 - 60_000
    state.lifetimeMs = -1
    for (let count = 0; count < 5; count += 1) {
      expect(await source()).toMatchObject({ accessKeyId: 'AKID1' })
      await new Promise(setImmediate)
    }
    expect(state.asked).toBe(2)
  })

  test('is given a signal, which aborts once it is overdue; its callers get the next key', async () => {
    let now = 0
    const signals: (AbortSignal | undefined)[] = []
    const source = credentialSource(
      (context) =>
        new Promise((resolve, reject) => {
          const signal = context?.signal
          signals.push(signal)
          signal?.addEventListener('abort', () => reject(new Error('aborted')))
          if (signals.length > 1) resolve({ accessKeyId: 'AKID', secretAccessKey: 'secret' })
        }),
      () => now,
      'a caller',
    )
    const first = source()
    now = 15_000
    expect(await source()).toMatchObject({ accessKeyId: 'AKID' })
    expect(await first).toMatchObject({ accessKeyId: 'AKID' })
    expect(signals.map((signal) => signal?.aborted).slice(0, 2)).toEqual([true, false])
  })

  test.each<[what: string, fields: object, expiresAt: number | undefined]>([
    ['an expiration', { expiration: new Date(5e6) }, 5e6],
    ['an expiration of another realm', { expiration: runInNewContext('new Date(5e6)') }, 5e6],
    ['both, the earlier one of which counts', { expiration: new Date(5e6), expiresAt: 6e6 }, 5e6],
    ['both, the other way round', { expiration: new Date(6e6), expiresAt: 5e6 }, 5e6],
    ['neither', { expiration: undefined, expiresAt: undefined }, undefined],
    ['what providers of the AWS SDK add', { accountId: '1', $source: {} }, undefined],
  ])('may give %s', async (_what, fields, expiresAt) => {
    const key = { accessKeyId: 'AKID', secretAccessKey: 'secret' }
    const source = credentialSource(
      () => ({ ...key, ...fields }),
      () => 0,
      'a caller',
    )
    const read = { ...key, ...(expiresAt !== undefined && { expiresAt }) }
    expect(await source()).toStrictEqual(read)
    expect(readApiKey({ ...key, ...fields })).toStrictEqual(read)
  })

  test.each([new Date(Number.NaN), '2030-01-01T00:00:00Z', 1e12, null, {}])(
    'that gives %j as expiration is told what to give',
    async (expiration) => {
      const key = { accessKeyId: 'AKID', secretAccessKey: 'secret', expiration }
      // What a provider without types may give.
      const source = credentialSource(
        () => key as ApiKey,
        () => 0,
        'a caller',
      )
      await expect(source()).rejects.toMatchObject({
        code: 'ERR_AUTH_CREDENTIALS',
        message:
          '[@svc/auth-sigv4] credentials.expiration must be a valid Date, which new Date(text) makes of a text',
      })
    },
  )

  test('that never responds is asked anew by a later request', async () => {
    let now = 0
    let asked = 0
    const source = credentialSource(
      () => {
        asked += 1
        const key = { accessKeyId: 'AKID', secretAccessKey: 'secret', expiresAt: 1e9 }
        return asked === 1 ? new Promise(() => {}) : Promise.resolve(key)
      },
      () => now,
      'a caller',
    )
    const first = source()
    now = 14_999
    const second = source()
    expect(asked).toBe(1)
    now = 15_000
    expect(await source()).toMatchObject({ accessKeyId: 'AKID' })
    expect(asked).toBe(2)
    // Those who waited get the next key, though it takes no notice of its signal.
    const keys = await Promise.all([first, second])
    expect(keys.map(({ accessKeyId }) => accessKeyId)).toEqual(['AKID', 'AKID'])
  })

  test('that responds late does not end the wait for the response that was asked for after it', async () => {
    const { source, resolvers, late, second } = askTwice()
    resolvers[0]?.({ accessKeyId: 'LATE', secretAccessKey: 'secret' })
    await new Promise((resolve) => setImmediate(resolve))
    const third = source()
    expect(resolvers).toHaveLength(2)
    resolvers[1]?.({ accessKeyId: 'AKID', secretAccessKey: 'secret' })
    const keys = await Promise.all([late, second, third])
    expect(keys.map(({ accessKeyId }) => accessKeyId)).toEqual(['AKID', 'AKID', 'AKID'])
  })

  test('that responds late does not replace the key that was asked for after it', async () => {
    const { source, resolvers, late, second } = askTwice()
    const key = { secretAccessKey: 'secret', expiresAt: 1e9 }
    resolvers[1]?.({ accessKeyId: 'NEW', ...key })
    await second
    resolvers[0]?.({ accessKeyId: 'LATE', ...key })
    expect(await late).toMatchObject({ accessKeyId: 'NEW' })
    expect(await source()).toMatchObject({ accessKeyId: 'NEW' })
  })

  test('of keys without an end is asked at every signature', async () => {
    const { state, source } = setUp()
    await source()
    await source()
    expect(state.asked).toBe(2)
  })

  test.each([
    undefined,
    null,
    {},
    { accessKeyId: 'AKID' },
    { accessKeyId: 'AKID', secretAccessKey: 'a b' },
  ])('that gives %j is a typed error', async (given) => {
    // What a provider without types may give.
    const source = credentialSource((() => given) as () => ApiKey, Date.now, 'a caller')
    await expect(source()).rejects.toMatchObject({
      code: 'ERR_AUTH_CREDENTIALS',
      message: expect.stringMatching(/^\[@svc\/auth-sigv4\] credentials.* must be /),
    })
  })
})

describe('credentials that cannot be read', () => {
  const hidden = 'hidden-secret'
  const fields = { accessKeyId: 'AKID', secretAccessKey: hidden, sessionToken: hidden }
  const unreadable = [
    'accessKeyId',
    'secretAccessKey',
    'sessionToken',
    'expiresAt',
    'expiration',
  ].map((name) =>
    Object.defineProperty({ ...fields }, name, {
      get: () => {
        throw new Error(`no ${hidden}`)
      },
    }),
  )
  const message = 'credentials must be readable'

  test.each(unreadable.map((given, index) => [index, given] as const))(
    'are a typed error, which shows nothing of them: %i',
    async (_index, given) => {
      const error: unknown = await createSigV4Auth({
        baseUrl: 'https://search.example.com',
        region: 'us-east-1',
        credentials: () => given,
      })
        .prepare?.({ method: 'GET', url: new URL('https://search.example.com') })
        .catch((cause: unknown) => cause)
      expect(error).toMatchObject({
        code: 'ERR_AUTH_CREDENTIALS',
        message: `[@svc/auth-sigv4] ${message}`,
      })
      expect(error).not.toHaveProperty('cause')
      expect(inspect(error, { showHidden: true })).not.toContain(hidden)
      expect(() => credentialSource(given, Date.now, 'a caller')).toThrow(
        new TypeError(`a caller: ${message}`),
      )
    },
  )
})

test('a key without an end is copied without one', () => {
  const key = { accessKeyId: 'AKID', secretAccessKey: 'secret' }
  expect(readApiKey({ ...key, expiresAt: undefined })).toStrictEqual(key)
})

test('a date is written once for all signatures of a second', () => {
  const dateOf = signingDates('us-east-1', 's3')
  const first = dateOf(Date.UTC(2026, 0, 1, 0, 0, 0, 0))
  expect(dateOf(Date.UTC(2026, 0, 1, 0, 0, 0, 999))).toBe(first)
  expect(dateOf(Date.UTC(2026, 0, 1, 0, 0, 1, 0)).amzDate).toBe('20260101T000001Z')
})

describe('signing keys', () => {
  const countingEngine = () => {
    const engine = nativeEngine()
    const counted = { derived: 0 }
    const deriveKey: typeof engine.deriveKey = (...parameters) => {
      counted.derived += 1
      return engine.deriveKey(...parameters)
    }
    return { engine: { ...engine, deriveKey }, counted }
  }
  const dayOf = signingDates('us-east-1', 's3')
  const day = (number: number) => dayOf(Date.UTC(2026, 0, number))
  const key = { accessKeyId: 'AKID', secretAccessKey: 'secret' }

  test('are derived once for a day', () => {
    const { engine, counted } = countingEngine()
    const signingKey = signingKeys(engine)
    const morning = signingKey(key, day(1))
    expect(signingKey(key, dayOf(Date.UTC(2026, 0, 1, 23, 59, 59, 999)))).toBe(morning)
    void signingKey(key, day(2))
    expect(counted.derived).toBe(2)
  })

  test('are derived anew where the secret of an access key changes', () => {
    const { engine, counted } = countingEngine()
    const signingKey = signingKeys(engine)
    const wrong = signingKey({ ...key, secretAccessKey: 'wrong' }, day(1))
    expect(signingKey(key, day(1))).not.toBe(wrong)
    expect(counted.derived).toBe(2)
  })

  test('are kept for 16 scopes, the oldest going first', () => {
    const { engine, counted } = countingEngine()
    const signingKey = signingKeys(engine)
    for (let number = 1; number <= 16; number += 1) void signingKey(key, day(number))
    void signingKey(key, day(1))
    expect(counted.derived).toBe(16)
    void signingKey(key, day(17))
    void signingKey(key, day(17))
    expect(counted.derived).toBe(17)
    void signingKey(key, day(1))
    expect(counted.derived).toBe(18)
  })

  test('that were derived anew are no longer the oldest', () => {
    const { engine, counted } = countingEngine()
    const signingKey = signingKeys(engine)
    void signingKey({ ...key, secretAccessKey: 'wrong' }, day(1))
    for (let number = 2; number <= 16; number += 1) void signingKey(key, day(number))
    void signingKey(key, day(1))
    void signingKey(key, day(17))
    expect(counted.derived).toBe(18)
    void signingKey(key, day(1))
    expect(counted.derived).toBe(18)
  })

  test('that could not be derived are derived anew', async () => {
    const { engine, counted } = countingEngine()
    const deriveKey: typeof engine.deriveKey = async (...parameters) => {
      const derived = await engine.deriveKey(...parameters)
      if (counted.derived === 1) throw new Error('no secure context')
      return derived
    }
    const signingKey = signingKeys({ ...engine, deriveKey })
    await expect(signingKey(key, day(1))).rejects.toThrow('no secure context')
    const derived = await signingKey(key, day(1))
    expect(await signingKey(key, day(1))).toBe(derived)
    expect(counted.derived).toBe(2)
  })
})
