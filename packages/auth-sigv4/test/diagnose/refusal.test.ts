import { Readable } from 'node:stream'
import { AuthError } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { describe, expect, test } from 'vitest'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, refusal, url } from './diagnosing.ts'

const auth = exampleAuth()
const xml = awsXml({ Code: 'InvalidAccessKeyId', Message: 'unknown' })
const headers = { 'content-type': 'application/xml' }
const throwing = new Proxy(
  {},
  {
    get() {
      throw new Error('no')
    },
  },
)

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function no(): never {
  throw new Error('no')
}

describe('what holds no response', () => {
  test.each<[given: string, refusal: unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['string', xml],
    ['number', 403],
    ['object', {}],
    ['object', []],
    ['object', throwing],
    ['object', revoked()],
    ['object', { response: null }],
    ['object', { response: throwing }],
    ['object', { status: 403, headers: null }],
    ['object', { status: 'refused', headers: {} }],
    ['function', () => refusal(xml)],
    ['object', Promise.resolve(refusal(xml))],
    ['TypeError without a response', new TypeError('fetch failed')],
    ['AuthError without a response', new AuthError('ERR_AUTH_ORIGIN', 'not sent')],
    ...(['ERR_AUTH_LOGIN_REFUSED', 'ERR_AUTH_LOGIN_NETWORK'] as const).map(
      (code): [string, unknown] => [
        'AuthError of a login that was refused or failed: read its serverMessage',
        new AuthError(code, 'no'),
      ],
    ),
    ['Error without a response', Object.assign(new Error(''), { code: Symbol('ERR_AUTH_LOGIN') })],
  ])('is refused as %s', async (given, value) => {
    await expect(diagnose(auth, value, url)).rejects.toThrow(
      new TypeError(
        '[@svc/auth-sigv4] diagnose: refusal must be a Response, or what a client threw or returned for a ' +
          `response, not ${given}`,
      ),
    )
  })
})

describe('a body', () => {
  const bytes = new TextEncoder().encode(xml)
  const padded = new Uint8Array([0, ...bytes, 0])
  test.each<[what: string, fields: object]>([
    ['text', { data: xml }],
    ['text beside it', { response: { status: 403, headers }, data: xml }],
    ['bytes', { data: Buffer.from(xml) }],
    ['a view of bytes', { rawBody: padded.subarray(1, -1) }],
    ['a DataView', { body: new DataView(padded.buffer, 1, bytes.byteLength) }],
    ['an ArrayBuffer', { data: bytes.buffer }],
    ['a Blob', { data: new Blob([xml]) }],
    ['bytes, however they were parsed', { rawBody: bytes, body: { Error: {} } }],
  ])('that a client keeps as %s is read', async (_what, fields) => {
    const given = { status: 403, headers, ...fields }
    const { verdict, summary, ...rest } = await diagnose(auth, given, url)
    const expected = await diagnose(auth, refusal(xml, { headers }), url)
    expect({ verdict, summary, ...rest }).toEqual(expected)
    expect(verdict).toBe('secret-or-key')
  })

  test.each<[what: string, given: () => object]>([
    ['a stream of Node', () => ({ data: Readable.from([xml]) })],
    ['a stream of the web', () => ({ data: new Blob([xml]).stream() })],
    ['itself a stream', () => ({ pipe() {} })],
  ])('that is %s is left alone, and said to be one', async (_what, given) => {
    const response = { status: 403, headers, ...given() }
    const { verdict, summary } = await diagnose(auth, response, url)
    expect(verdict).toBe('unknown')
    expect(summary).toContain(
      'The response body is a stream, which is left alone, so only the status and headers can be used; ' +
        'read it, and pass { response, data } with its text.',
    )
    const whole = await diagnose(auth, { response, data: xml }, url)
    expect(whole.verdict).toBe('secret-or-key')
  })

  test('that was read to the half is said to be read', async () => {
    const response = refusal(xml)
    const reader = response.body?.getReader()
    await reader?.read()
    reader?.releaseLock()
    const { summary } = await diagnose(auth, response, url)
    expect(summary).toContain('The response body has already been read')
    expect((await diagnose(auth, { response, data: xml }, url)).verdict).toBe('secret-or-key')
  })

  test.each<[what: string, data: unknown, contentType: string, note: string]>([
    ['JSON', { reason: 'no' }, 'application/json', 'The response is JSON'],
    ['parsed XML', { Error: {} }, 'text/xml', 'has already been read'],
    ['a form', new FormData(), 'multipart/form-data', 'has already been read'],
  ])('that was parsed as %s has nothing to compare', async (_what, data, contentType, note) => {
    const given = { status: 403, headers: { 'Content-Type': contentType }, data }
    const { verdict, summary } = await diagnose(auth, given, url)
    expect(verdict).toBe('unknown')
    expect(summary).toContain(note)
  })

  test('of a runtime without streams is read by its text', async () => {
    const response = {
      status: 403,
      headers: new Headers(headers),
      clone: () => ({ text: async () => xml }),
    }
    expect((await diagnose(auth, response, url)).verdict).toBe('secret-or-key')
  })

  test.each<[what: string, body: () => unknown]>([
    ['a stream', () => ({ getReader: () => ({ read: forever, cancel: forever }) })],
    [
      'a stream of Node',
      () => ({ [Symbol.asyncIterator]: () => ({ next: forever, return: forever }) }),
    ],
  ])('that never ends, not even by a cancel, is given up: %s', async (_what, body) => {
    const response = { status: 403, headers, clone: () => ({ body: body() }) }
    const { verdict, summary } = await diagnose(auth, response, url)
    expect(verdict).toBe('unknown')
    expect(summary).toContain('The response body could not be read.')
  })

  test.each(['clone', 'body', 'read'])(
    'of a response whose %s throws could not be read',
    async (what) => {
      const fail = (): never => {
        throw new Error(`no ${what}`)
      }
      const read = what === 'read' ? fail : () => Promise.resolve({ done: true })
      const body =
        what === 'body' ? { getReader: fail } : { getReader: () => ({ read, cancel: fail }) }
      const clone = what === 'clone' ? fail : () => ({ body })
      const { summary } = await diagnose(auth, { status: 403, headers, clone }, url)
      expect(summary).toContain('The response body could not be read.')
    },
  )

  test('of 5 MB in one text is read to the first', async () => {
    const data = `<Error><Code>InvalidAccessKeyId</Code><!--${'x'.repeat(5_000_000)}-->`
    const { verdict, summary } = await diagnose(auth, { status: 403, headers, data }, url)
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain('The response was cut off')
  })
})

const forever = (): Promise<never> => new Promise(() => {})

test.each([200, 204])(
  'a response of the status %i is no refusal, whatever it says',
  async (statusCode) => {
    const { summary } = await diagnose(auth, { statusCode, headers, body: xml }, url)
    expect(summary).toContain('The server accepted the request')
  },
)

test.each([404, 500])('a response of the status %i is told by what it says', async (statusCode) => {
  const body = awsXml({ Code: 'NoSuchKey' })
  const { verdict, summary } = await diagnose(auth, { statusCode, headers, body }, url)
  expect(verdict).toBe('unknown')
  expect(summary).toMatch(new RegExp(`^${statusCode} NoSuchKey`))
})

test('headers are found by any spelling, and in lists', async () => {
  const given = { statusCode: 400, headers: { 'X-Amz-Bucket-Region': ['eu-west-1'] }, body: '' }
  expect((await diagnose(auth, given, url)).verdict).toBe('region')
})

test.each<[what: string, fields: object]>([
  ['headers that cannot be listed', { headers: new Proxy({}, { ownKeys: no }) }],
  [
    'a header that throws',
    { headers: Object.defineProperty({}, 'x', { enumerable: true, get: no }) },
  ],
  ['a header that is no text', { headers: { 'content-type': [Symbol('text')] } }],
  ['headers that are revoked', { headers: { date: revoked() } }],
  [
    'data that does not tell what it is',
    {
      data: {
        get [Symbol.toStringTag]() {
          return no()
        },
      },
    },
  ],
  ['data that cannot be listed', { data: new Proxy({}, { ownKeys: no }) }],
  ['data that is revoked', { data: revoked() }],
  ['bytes that were transferred', { data: detached() }],
  ['an ArrayBuffer that was transferred', { data: detached().buffer }],
  [
    'a request whose headers cannot be listed',
    { config: { headers: new Proxy({}, { ownKeys: no }) } },
  ],
])('%s cause no error', async (_what, fields) => {
  const { summary } = await diagnose(auth, { status: 403, headers: {}, ...fields }, url)
  expect(summary).toContain('so only the status and headers can be used')
})

function detached(): Uint8Array {
  const bytes = new Uint8Array(8)
  structuredClone(bytes, { transfer: [bytes.buffer] })
  return bytes
}

describe('a request that a client keeps', () => {
  const base = { status: 403, headers, data: awsXml({ Code: 'SignatureDoesNotMatch' }) }
  const parts = { url: '/test.txt', baseURL: new URL(url).origin, method: 'put', params: { a: 1 } }

  test.each<[what: string, fields: object]>([
    ['nothing', {}],
    ['a URL in parts', { config: parts }],
    ['no URL', { options: { method: 'PUT' } }],
    ['a URL apart from its query', { config: { ...parts, url } }],
    ['fields that throw', { request: throwing, config: throwing }],
  ])('with %s has to be given', async (_what, fields) => {
    await expect(diagnose(auth, { ...base, ...fields })).rejects.toThrow(
      '[@svc/auth-sigv4] diagnose: input must be what was passed to fetch, since the refusal does not hold the request',
    )
  })

  test.each<[what: string, fields: object]>([
    ['of an adapter of axios', { config: parts, request: { url } }],
    ['of axios over node:http', { config: parts, request: { res: { responseUrl: url } } }],
    ['of axios in a page', { config: parts, request: { responseURL: url } }],
    ['of got', { request: { options: { url: new URL(url), method: 'PUT' } } }],
    ['of ofetch', { request: url, options: { method: 'PUT' } }],
    ['of ofetch, with a URL', { request: new URL(url), options: { method: 'PUT' } }],
  ])('is taken: %s', async (_what, fields) => {
    const expected = await diagnose(auth, base, url, { method: 'PUT' })
    expect(await diagnose(auth, { ...base, ...fields })).toEqual(expected)
  })

  test('counts for nothing where another one is given', async () => {
    const elsewhere = { ...base, request: 'https://elsewhere.example.com/', options: {} }
    expect(await diagnose(auth, elsewhere, url)).toEqual(await diagnose(auth, base, url))
    await expect(diagnose(auth, elsewhere)).rejects.toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
  })

  test('that a redirect turned into another has no body', async () => {
    const config = { method: 'post', data: 'a' }
    const redirected = { ...base, config, request: { url, method: 'GET' } }
    const mismatch = awsXml({
      Code: 'XAmzContentSHA256Mismatch',
      ClientComputedContentSHA256: 'a',
      S3ComputedContentSHA256: 'b',
    })
    const { summary } = await diagnose(auth, { ...redirected, data: mismatch })
    const expected = await diagnose(auth, { ...base, data: mismatch }, url)
    expect(summary).toBe(expected.summary)
  })

  test('with a form that was sent as a stream has no payload hash to compare', async () => {
    const form = { async *[Symbol.asyncIterator]() {} }
    const multipart = { 'content-type': 'multipart/form-data; boundary=b', 'x-none': undefined }
    const options = { url, method: 'PUT', headers: multipart, body: form }
    const http = exampleAuth({ payload: 'signed' })
    const { summary } = await diagnose(http, { ...base, options })
    expect(summary).toContain('A form has a new boundary each time it is sent')
  })

  test('leads to where got was redirected', async () => {
    const target = `${url}?redirected`
    const given = { ...base, redirectUrls: [new URL(target)], url: target }
    expect((await diagnose(auth, given, url)).summary).toContain('A redirect led to')
  })
})

test('a Request whose body never ends is taken for the stream that it is', async () => {
  const body = new ReadableStream({ pull: forever })
  const init: RequestInit & { duplex: 'half' } = { method: 'PUT', body, duplex: 'half' }
  const expected = await diagnose(auth, refusal(xml), url, { ...init, body: new ReadableStream() })
  expect(await diagnose(auth, refusal(xml), new Request(url, init))).toEqual(expected)
})

test('no secret of what a client gives stands in an error', async () => {
  const secret = 'hidden-value-of-the-caller'
  const given = { message: secret, name: 'object', headers: { authorization: secret } }
  const thrown: unknown = await diagnose(auth, given, url).catch((error: unknown) => error)
  expect(String(thrown)).not.toContain(secret)
})

test('a selector that chose no signature is told by the request', async () => {
  const selector = {
    ...auth,
    name: 'route',
    // As a selector has it for a scheme that does not sign.
    [Symbol.for('svc-auth.signer.1')]: () => undefined,
  }
  await expect(diagnose(selector, refusal(xml), `${url}?a=1`, { method: 'PUT' })).rejects.toThrow(
    new TypeError(
      '[@svc/auth-sigv4] diagnose: auth must sign the request, but the scheme "route" chose no signature for ' +
        `PUT ${url}; of a request with a token, or without a credential, there is nothing to diagnose`,
    ),
  )
})
