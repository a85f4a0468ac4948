import { inspect } from 'node:util'
import { authFetch, authorizeRequest } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import { describe, expect, test } from 'vitest'
import { serve } from '../../auth-hooks/test/support/server.ts'
import {
  answerTo,
  challenge,
  challengeWith,
  digestOf,
  failureOf,
  headOf,
  parameterOf,
  requestOf,
  valueOf,
} from './support/challenges.ts'
import { reader } from './support/reference-server.ts'

const hashes = nobleHashes()

/** Lets a scheme see one challenge after a request that had no answer. */
const reviewOf = async (value: string, options = {}): Promise<unknown> => {
  const first = await digestOf(options).authorize(requestOf())
  return first.review?.(headOf(401, { 'www-authenticate': value }))
}

describe('a challenge', () => {
  test.each([
    ['of a scheme that is not Digest', 'Basic realm="r"'],
    ['of 1,000 schemes', Array.from({ length: 1000 }, (_, index) => `S${index} a=b`).join()],
    ['of 64 KiB of commas', ','.repeat(65_536)],
    ['that is empty', ''],
  ])('%s goes to the caller', async (_what, value) => {
    expect(await reviewOf(value)).toBeUndefined()
  })

  test('is found among 1,000 others', async () => {
    const others = Array.from({ length: 1000 }, (_, index) => `S${index} realm="x, y"`)
    const auth = digestOf()
    const given = await answerTo(auth, [...others, challengeWith('n'), ...others].join(', '))
    expect(parameterOf(valueOf(given), 'realm')).toBe('r')
  })

  test.each([
    ['with a nonce of 64 KiB', challengeWith('n'.repeat(65_536))],
    [
      'with a line break in its realm',
      'Digest realm="a\r\nb", nonce="n", algorithm=SHA-256, qop="auth"',
    ],
    ['with a line break in its nonce', challengeWith('a\nb')],
    ['with a line break in its opaque value', challengeWith('n', ', opaque="a\rb"')],
    ['without a realm', 'Digest nonce="n", algorithm=SHA-256, qop="auth"'],
    ['without a nonce', 'Digest realm="r", algorithm=SHA-256, qop="auth"'],
    [
      'with an algorithm that is not known',
      'Digest realm="r", nonce="n", algorithm=SHA-1, qop="auth"',
    ],
    ['with a qop that is not known', 'Digest realm="r", nonce="n", algorithm=SHA-256, qop="none"'],
    ['with MD5', 'Digest realm="r", nonce="n", algorithm=MD5, qop="auth"'],
    ['without an algorithm, which is MD5', 'Digest realm="r", nonce="n", qop="auth"'],
    ['without qop', 'Digest realm="r", nonce="n", algorithm=SHA-256'],
  ])('%s is not answered', async (_what, value) => {
    const error = await failureOf(reviewOf(value, { hashes }))
    expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', status: 401 })
    expect(error.message.length).toBeLessThan(200)
  })

  test('with SHA-512-256 alone needs a library, and the message says which', async () => {
    const value = 'Digest realm="r", nonce="n", algorithm=SHA-512-256, qop="auth"'
    const error = await failureOf(reviewOf(value))
    expect(error).toMatchObject({ code: 'ERR_AUTH_CRYPTO' })
    expect(error.message).toContain('npm install @noble/hashes')
  })

  test('with a quote and a backslash in its realm is answered with both escaped', async () => {
    const realm = String.raw`a \"b\" \\ c`
    const value = `Digest realm="${realm}", nonce="n", algorithm=SHA-256, qop="auth"`
    expect(valueOf(await answerTo(digestOf(), value))).toContain(`realm="${realm}"`)
  })

  test('that asks for a weaker hash than before is not answered, in any realm', async () => {
    const auth = digestOf({ hashes, allowMd5: true })
    const good = await answerTo(auth, challengeWith('n'))
    expect(await good.review?.(headOf(200))).toBeUndefined()
    for (const realm of ['r', 'other']) {
      const weak = `Digest realm="${realm}", nonce="m", algorithm=MD5, qop="auth", stale=true`
      const next = await auth.authorize(requestOf())
      const error = await failureOf(
        Promise.resolve(next.review?.(headOf(401, { 'www-authenticate': weak }))),
      )
      expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE' })
      expect(error.message).toContain('weaker')
    }
    const strong = await auth.authorize(requestOf())
    expect(parameterOf(valueOf(strong), 'algorithm')).toBe('SHA-256')
    // A device that was replaced.
    auth.invalidate()
    const weak = await answerTo(auth, 'Digest realm="r", nonce="m", algorithm=MD5, qop="auth"')
    expect(parameterOf(valueOf(weak), 'algorithm')).toBe('MD5')
  })

  test('without qop after one that had it is not answered', async () => {
    const auth = digestOf({ hashes, allowMd5: true })
    const good = await answerTo(auth, challengeWith('n'))
    expect(await good.review?.(headOf(200))).toBeUndefined()
    const bare = 'Digest realm="r", nonce="m", algorithm=SHA-256, stale=true'
    const next = await auth.authorize(requestOf())
    const error = await failureOf(
      Promise.resolve(next.review?.(headOf(401, { 'www-authenticate': bare }))),
    )
    expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE' })
  })
})

test.each(['/a?', '/a#f', '/a?#f'])(
  '%s is sent to the address that is answered for',
  async (path) => {
    const auth = digestOf()
    const given = await answerTo(auth, challengeWith('n'))
    expect(await given.review?.(headOf(200))).toBeUndefined()
    const next = await auth.authorize(requestOf({ path }))
    expect(parameterOf(valueOf(next), 'uri')).toBe('/a')
    expect(next.url).toBe('https://a.example/a')
  },
)

describe('a caller', () => {
  test('that gives up keeps nobody from a challenge', async () => {
    const auth = digestOf()
    const first = await auth.authorize(requestOf())
    let isThere = false
    const second = Promise.resolve(auth.authorize(requestOf())).then((given) => {
      isThere = true
      return given
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isThere).toBe(false)
    first.abandon?.()
    expect(valueOf(await second)).toBeNull()
  })

  test('of whom nothing more is heard keeps the others as long as challengeTimeoutMs', async () => {
    const auth = digestOf({ challengeTimeoutMs: 1 })
    await auth.authorize(requestOf())
    const others = await Promise.all([auth.authorize(requestOf()), auth.authorize(requestOf())])
    expect(others.map(valueOf)).toEqual([null, null])
  })

  test('of authorizeRequest keeps nobody waiting once an answer was accepted', async () => {
    const server = await serve(({ headers }, response) => {
      if (headers.authorization) response.end()
      else challenge(response, challengeWith('n'))
    })
    const auth = digestOf({ baseUrl: server.origin })
    expect((await authFetch(auth)(server.origin)).status).toBe(200)
    const requests = await Promise.all([1, 2].map(() => authorizeRequest(auth, server.origin)))
    expect((await authFetch(auth)(server.origin)).status).toBe(200)
    const sent = requests.map(({ headers }) => headers.get('authorization'))
    expect(sent.map((value) => parameterOf(value, 'nc'))).toEqual(['00000002', '00000003'])
  })

  test('whose credentials function fails gets its error, and the next one tries again', async () => {
    let calls = 0
    const credentials = (): typeof reader => {
      calls += 1
      if (calls === 1) throw new Error('no vault')
      return reader
    }
    const auth = digestOf({ credentials })
    const error = await failureOf(answerTo(auth, challengeWith('n')))
    expect(error).toMatchObject({ code: 'ERR_AUTH_CREDENTIALS', cause: { message: 'no vault' } })
    expect(valueOf(await answerTo(auth, challengeWith('n')))).toContain('username="reader"')
  })
})

test('nothing of the scheme shows a secret', async () => {
  const auth = digestOf()
  const given = await answerTo(auth, challengeWith('n'))
  const shown = [auth, auth.inspect(), given].map((value) =>
    inspect(value, { depth: 9, showHidden: true }),
  )
  for (const text of [...shown, JSON.stringify(auth), valueOf(given)]) {
    expect(text).not.toContain(reader.password)
  }
})
