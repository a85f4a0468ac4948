import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createSigV4Auth, type SigV4AuthOptions } from '../src/index.ts'
import { apiKey } from './fixtures/s3-examples.ts'

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

  test.each([undefined, null, 'https://h'])('of %j are none at all', (options) => {
    // What a caller without types may give.
    expect(() => createSigV4Auth(options as never)).toThrow('options must be an object')
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
  await auth.explain('https://search.example.com/V1/')
  const shown = inspect(auth, { showHidden: true, depth: 10 }) + JSON.stringify(auth)
  expect(shown).not.toContain(apiKey.secretAccessKey)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 9e15, '2013-05-24'])(
  'explain refuses %s as an instant, by name',
  async (at) => {
    const auth = createSigV4Auth(good)
    // @ts-expect-error -- one of them is no number, as a caller without types would give it
    const explained = auth.explain('https://search.example.com/V1/', undefined, { at })
    await expect(explained).rejects.toThrow(
      new TypeError('at must be an instant in epoch milliseconds'),
    )
  },
)
