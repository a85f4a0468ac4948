import { createDigestAuth, type DigestAuthOptions } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  answerTo,
  challengeWith,
  digestOf,
  parameterOf,
  requestOf,
  valueOf,
} from './support/challenges.ts'
import { reader } from './support/reference-server.ts'

test.each<[options: object, message: string]>([
  [{}, 'baseUrl must be'],
  [{ baseUrl: 'https://a.example' }, 'credentials must be { username, password }'],
  [{ credentials: {} }, 'credentials.username must be text'],
  [{ credentials: { username: 'a\nb', password: 'p' } }, 'credentials.username must be text'],
  [{ credentials: { username: '', password: 'p' } }, 'credentials.username must be text'],
  [{ credentials: { username: 'a' } }, 'credentials.password must be text'],
  [{ credentials: { user: 'a', password: 'p' } }, 'credentials.username must be text'],
  [{ credentials: { username: 'a', password: '\ud800' } }, 'credentials must be readable'],
  [{ credentials: Promise.resolve(reader) }, 'credentials.username must be text'],
  [{ credentials: 'reader' }, 'credentials must be { username, password } or a function'],
  [{ username: 'a' }, 'username is not an option; did you mean credentials?'],
  [{ algorithm: 'MD5' }, 'algorithm is not an option; did you mean allowMd5?'],
  [{ allowMd5: 'yes' }, 'allowMd5 must be true or false'],
  [{ allowMd5: true }, 'hashes must be like nobleHashes(), which allowMd5 needs'],
  [{ hashes: {} }, 'hashes must be like nobleHashes()'],
  [{ hashes: null }, 'hashes must be like nobleHashes()'],
  [{ challengeTimeoutMs: 0 }, 'challengeTimeoutMs must be a number'],
  [{ challengeTimeoutMs: Infinity }, 'challengeTimeoutMs must be a number'],
  [{ clock: 1 }, 'clock must be a function'],
  [{ createCnonce: 'c' }, 'createCnonce must be a function'],
  [{ onEvent: true }, 'onEvent must be a function'],
])('%j is a TypeError: %s', (options, message) => {
  const isWhole = 'baseUrl' in options || Object.keys(options).length === 0
  const given = isWhole
    ? options
    : { baseUrl: 'https://a.example', credentials: reader, ...options }
  const create = (): unknown => createDigestAuth(given as DigestAuthOptions)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(`[@svc/auth-digest] createDigestAuth: `)
  expect(create).toThrow(message)
  expect(create).not.toThrow(reader.password)
})

test('a password may be empty, as that of many a device is', async () => {
  const auth = digestOf({ credentials: { username: 'admin', password: '' } })
  expect(parameterOf(valueOf(await answerTo(auth, challengeWith('n'))), 'response')).toHaveLength(
    64,
  )
})

test('each answer has a cnonce of its own', async () => {
  const auth = digestOf()
  const first = await answerTo(auth, challengeWith('n'))
  await first.review?.({ status: 200, headers: new Headers() })
  const second = await auth.authorize(requestOf())
  const [one, other] = [first, second].map((given) => parameterOf(valueOf(given), 'cnonce'))
  expect(one).toMatch(/^[\da-f]{32}$/)
  expect(other).not.toBe(one)
})

test.each([
  ['MD5', 'md5'],
  ['SHA-256', 'sha256'],
  ['SHA-512-256', 'sha512-256'],
] as const)('nobleHashes computes %s as OpenSSL does', async (name, other) => {
  for (const size of [0, 1, 55, 64, 111, 128, 1000]) {
    const bytes = new Uint8Array(size).map((_, index) => index)
    const ours = Buffer.from(await nobleHashes().hash(name, bytes)).toString('hex')
    expect(ours).toBe(createHash(other).update(bytes).digest('hex'))
  }
})
