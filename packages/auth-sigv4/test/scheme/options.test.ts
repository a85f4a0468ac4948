import { inspect } from 'node:util'
import { createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { describe, expect, test } from 'vitest'
import { apiKey } from '../fixtures/s3-examples.ts'
import { outgoingRequest } from '../support/signing.ts'

const good: SigV4AuthOptions = {
  baseUrl: 'https://search.example.com',
  region: 'us-east-1',
  credentials: apiKey,
}

describe('wrong options', () => {
  test.each<[option: string, change: Record<string, unknown>]>([
    ['baseUrl', { baseUrl: undefined }],
    ['baseUrl', { baseUrl: '' }],
    ['baseUrl', { baseUrl: 'search.example.com' }],
    ['baseUrl', { baseUrl: 'ftp://search.example.com' }],
    ['baseUrl', { baseUrl: 'https://user:pw@search.example.com' }],
    ['baseUrl', { baseUrl: 'https://search.example.com/?a=1' }],
    ['region', { region: undefined }],
    ['region', { region: '' }],
    ['region', { region: 'us-east-1\n' }],
    ['region', { region: 'us/east' }],
    ['service', { service: '' }],
    ['credentials', { credentials: undefined }],
    ['credentials.accessKeyId', { credentials: {} }],
    ['credentials.accessKeyId', { credentials: { ...apiKey, accessKeyId: '' } }],
    ['credentials.accessKeyId', { credentials: { ...apiKey, accessKeyId: ' AKID' } }],
    ['credentials.secretAccessKey', { credentials: { accessKeyId: 'AKID' } }],
    ['credentials.secretAccessKey', { credentials: { ...apiKey, secretAccessKey: 'a\nb' } }],
    ['credentials.secretAccessKey', { credentials: { ...apiKey, secretAccessKey: undefined } }],
    ['credentials.sessionToken', { credentials: { ...apiKey, sessionToken: '' } }],
    ['credentials.expiresAt', { credentials: { ...apiKey, expiresAt: Number.NaN } }],
    ['origins[0]', { origins: ['https://a.example.com/path'] }],
    ['origins[1]', { origins: ['https://a.example.com', '*'] }],
    ['payload', { payload: 'chunked' }],
    ['pathEncoding', { pathEncoding: 'none' }],
    ['repeatedParameters', { repeatedParameters: 'first' }],
    ['signHeaders', { signHeaders: 'date' }],
    ['signHeaders', { signHeaders: ['a b'] }],
    ['engine', { engine: {} }],
    ['engine', { engine: { ...nativeEngine(), hash: undefined } }],
    ['engine', { engine: { ...nativeEngine(), deriveKey: undefined } }],
    ['engine', { engine: { ...nativeEngine(), sign: 'sign' } }],
    ['payload', { payload: null }],
    ['payload', { payload: {} }],
    ['payload', { payload: { wrap: true } }],
    ['region', { region: 5 }],
    ['region', { region: ' us-east-1' }],
    ['service', { service: 's3/' }],
    ['service', { service: '/s3' }],
    ['signHeaders', { signHeaders: ['a', 'b:'] }],
    ['signHeaders', { signHeaders: [':a'] }],
    ['baseUrl', { baseUrl: 'https://@search.example.com' }],
    ['baseUrl', { baseUrl: {} }],
    ['clock', { clock: 1 }],
    ['onEvent', { onEvent: {} }],
  ])('are refused at construction, naming %s', (option, change) => {
    const options = { ...good, ...change }
    const construct = (): unknown => createSigV4Auth(options)
    expect(construct).toThrow(TypeError)
    expect(construct).toThrow(option)
  })

  test.each<[message: string, change: Record<string, unknown>]>([
    [
      'region must be a name such as us-east-1, with only letters, digits, -, . and _',
      { region: 'us east' },
    ],
    ['service must be a name such as s3, with only letters, digits, -, . and _', { service: '' }],
    ['repeatedParameters must be one of by-value, wire-order', { repeatedParameters: 'first' }],
    ['pathEncoding must be one of s3, double, verbatim', { pathEncoding: 'none' }],
    [
      "payload must be 'auto', 'signed', 'unsigned' or the result of streaming()",
      { payload: 'chunked' },
    ],
    ['signHeaders must be an array of header names', { signHeaders: 'date' }],
    ['engine must be a SigningEngine with hash, deriveKey and sign', { engine: {} }],
    ['clock must be a function', { clock: 1 }],
    ['onEvent must be a function', { onEvent: {} }],
  ])('are refused with the words "%s"', (message, change) => {
    expect(() => createSigV4Auth({ ...good, ...change })).toThrow(
      new TypeError(`[@svc/auth-sigv4] createSigV4Auth: ${message}`),
    )
  })

  test.each([undefined, null, 'https://h'])('of %j are none at all', (options) => {
    // What a caller without types may give.
    const create = (): unknown => createSigV4Auth(options as never)
    const message =
      '[@svc/auth-sigv4] createSigV4Auth: options must be an object with any of baseUrl,'
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })

  test('never show the secret in the message', () => {
    const secretAccessKey = 'very secret\nkey'
    let thrown: unknown
    try {
      createSigV4Auth({ ...good, credentials: { accessKeyId: 'AKID', secretAccessKey } })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(TypeError)
    expect(inspect(thrown, { showHidden: true })).not.toContain('very secret')
  })
})

test('a scheme shows no secret', async () => {
  const auth = createSigV4Auth(good)
  await explain(auth, 'https://search.example.com/V1/')
  const shown = inspect(auth, { showHidden: true, depth: 10 }) + JSON.stringify(auth)
  expect(shown).not.toContain(apiKey.secretAccessKey)
})

test.each<Partial<SigV4AuthOptions>>([
  { pathEncoding: 's3' },
  { pathEncoding: 'double' },
  { pathEncoding: 'verbatim' },
  { repeatedParameters: 'by-value' },
  { repeatedParameters: 'wire-order' },
  { payload: 'auto' },
  { payload: 'signed' },
  { payload: 'unsigned' },
  { service: 'a.b-c_1' },
  { signHeaders: ["x!#$%&'*+-.^_`|~1"] },
])('%j is a right option', (option) => {
  const auth = createSigV4Auth({ ...good, ...option })
  expect(auth.name).toBe('sigv4')
  expect(Object.isFrozen(auth)).toBe(true)
})

test('every signature is told of, by what was signed and not by what signs it', async () => {
  const events: unknown[] = []
  const origins = ['https://other.example.com']
  const auth = createSigV4Auth({ ...good, origins, onEvent: (event) => events.push(event) })
  await auth.authorize(outgoingRequest('https://other.example.com/k?a=1', {}, 'HEAD'))
  expect(events).toEqual([
    {
      type: 'signed',
      scheme: 'sigv4',
      origin: 'https://other.example.com',
      method: 'HEAD',
      signedHeaders: 'host;x-amz-content-sha256;x-amz-date',
    },
  ])
})

test('prepare asks for the credentials ahead of time', async () => {
  let asked = 0
  const auth = createSigV4Auth({
    ...good,
    credentials: async () => {
      asked += 1
      return { ...apiKey, expiresAt: Number.MAX_SAFE_INTEGER }
    },
  })
  await auth.prepare?.({ method: 'GET', url: new URL('https://search.example.com/V1/') })
  expect(asked).toBe(1)
  await auth.authorize(outgoingRequest('https://search.example.com/V1/'))
  expect(asked).toBe(1)
})
