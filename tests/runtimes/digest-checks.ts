import { authFetch, createDigestAuth, type DigestAuthOptions } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import type { AuthScheme, Fetch } from '@svc/types'
import type { Addresses } from './addresses.ts'
import { equal, rejectsWith } from './assert.ts'
import type { Check } from './check.ts'
import { digestUser } from './credentials.ts'
import { isReactNative, lacksCrypto } from './runtime-kind.ts'

const trusting = isReactNative ? { trustRedirects: true } : {}
const hashes = nobleHashes()

let texts = 0
/** React Native has no randomness of its own either. */
const substitutes = lacksCrypto ? { hashes, createCnonce: () => `cnonce-${(texts += 1)}` } : {}

/** Returns a scheme that runs in every runtime. */
export function portableDigest(
  { control }: Addresses,
  options: Partial<DigestAuthOptions> = {},
): AuthScheme {
  return createDigestAuth({ baseUrl: control, credentials: digestUser, ...substitutes, ...options })
}

/** Returns checks of Digest with each hash, by Web Crypto and by the library. */
export function createDigestChecks(addresses: Addresses): readonly Check[] {
  const { control } = addresses
  const byLibrary = ['MD5', 'SHA-256', 'SHA-512-256'].map((algorithm) => ({
    algorithm,
    auth: portableDigest(addresses, { hashes, allowMd5: algorithm === 'MD5' }),
  }))
  const native = createDigestAuth({ baseUrl: control, credentials: digestUser })
  const wrong = portableDigest(addresses, { credentials: { ...digestUser, password: 'wrong' } })
  return [
    {
      name: 'one challenge of Digest for ten callers, by Web Crypto, or a typed error says that there is none',
      async run(): Promise<'refused' | void> {
        if (!lacksCrypto) return answersTen(native, new URL('/digest/SHA-256/a?b=c', control))
        await rejectsWith(
          authorizing(native)(new URL('/digest/SHA-256/a', control)),
          'ERR_AUTH_CRYPTO',
        )
        return 'refused'
      },
    },
    ...byLibrary.map(({ algorithm, auth }): Check => ({
      name: `one challenge of Digest for ten callers, with ${algorithm} of @noble/hashes`,
      run: () => answersTen(auth, new URL(`/digest/${algorithm}/a?b=c`, control)),
    })),
    {
      name: 'a wrong password of Digest is a typed error',
      async run() {
        const sent = authorizing(wrong)(new URL('/digest/SHA-256/a', control))
        await rejectsWith(sent, 'ERR_AUTH_LOGIN_REFUSED')
      },
    },
  ]
}

function authorizing(auth: AuthScheme): Fetch {
  return authFetch(auth, trusting)
}

/** Sends ten requests at once, whose answers must all be accepted, and be to one challenge. */
async function answersTen(auth: AuthScheme, url: URL): Promise<void> {
  const send = authorizing(auth)
  const calls = Array.from({ length: 10 }, async (_, index) => {
    const response = await send(url, { method: 'PUT', body: `größer ${index}` })
    const text = await response.text()
    equal(response.status, 200, 'status')
    equal(text.endsWith(`\ngrößer ${index}`), true, `the body in ${text}`)
    return text.split(' ', 1).join('')
  })
  equal(new Set(await Promise.all(calls)).size, 1, 'challenges')
}
