import { describe, expect, test } from 'vitest'
import { openEmulated, openInFrontOf, secretHeader, sendRaw } from '../support/open-proxy.ts'
import { presignedTarget, signedHead } from '../support/sign-request.ts'
import { placeholderKey, proxySecret } from '../support/proxy-environment.ts'

const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers })

describe('the secret', () => {
  test('lets both kinds of routes through, with a token and a signature', async () => {
    const { emulator, url } = await openEmulated()
    expect((await get(`${url}/user/groups`, secretHeader)).status).toBe(200)
    expect((await get(`${url}/V1/`, secretHeader)).status).toBe(200)
    const schemes = emulator.requests.map(({ auth }) => `${auth.scheme} ${auth.ok}`)
    expect(schemes).toEqual(['login true', 'token true', 'sigv4 true'])
    for (const { headers } of emulator.requests) {
      expect(JSON.stringify(headers)).not.toContain(proxySecret)
    }
  })

  test.each(['', 'x', proxySecret.slice(1), `${proxySecret}x`, proxySecret.toUpperCase()])(
    'that is wrong lets nobody in, whatever else is right: %j',
    async (wrong) => {
      const { emulator, url, port } = await openEmulated()
      const response = await get(`${url}/V1/a`, { 'x-svc-proxy-secret': wrong })
      expect(response.status).toBe(403)
      expect(response.headers.get('x-svc-proxy')).toBe('refused')
      const signed = signedHead({ port, headers: [['x-svc-proxy-secret', wrong]] })
      expect(await sendRaw(port, signed)).toMatch(/^HTTP\/1\.1 403 /)
      expect(emulator.requests).toEqual([])
    },
  )

  test('is made up and told once, on standard error alone', async () => {
    const { url, notes, log } = await openEmulated({ env: { SVC_AUTH_PROXY_SECRET: '' } })
    const secret = /x-svc-proxy-secret: ([\w-]{43})$/m.exec(notes())?.[1] ?? ''
    expect((await get(`${url}/V1/`, { 'x-svc-proxy-secret': secret })).status).toBe(200)
    expect(notes().split(secret)).toHaveLength(2)
    expect(log().join('')).not.toContain(secret)
  })
})

test('without a secret or a signature, the response says what is missing', async () => {
  const { emulator, url } = await openEmulated()
  const response = await get(`${url}/V1/a`)
  expect(response.status).toBe(403)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({
    code: 'AccessDenied',
    message:
      "svc-auth proxy: the request needs the header x-svc-proxy-secret or a signature made with the proxy's own key pair",
  })
  const bearer = await get(`${url}/V1/a`, { authorization: 'Bearer not-a-secret-of-others' })
  expect(bearer.status).toBe(403)
  const text = await bearer.text()
  expect(text).toContain("the credential in authorization is none of this proxy's")
  expect(text).not.toContain('not-a-secret-of-others')
  expect(emulator.requests).toEqual([])
})

test('credentials that a client sends beside the secret go no further', async () => {
  const seen: NodeJS.Dict<string | string[]>[] = []
  const { url } = await openInFrontOf((incoming, response) => {
    seen.push(incoming.headers)
    response.end()
  })
  const response = await get(`${url}/V1/a`, {
    ...secretHeader,
    cookie: 'session=not-a-secret-of-others',
    'proxy-authorization': 'Basic not-a-secret-of-others',
    'x-svc-route-token': 'login',
    'x-amz-security-token': 'not-a-secret-of-others',
    x_amz_security_token: 'not-a-secret-of-others',
    'x-amz-date': '20000101T000000Z',
    'x-http-method-override': 'DELETE',
    x_http_method_override: 'DELETE',
    x_amz_copy_source: '/V1/not-a-secret-of-others',
    'X-Amz_Acl': 'not-a-secret-of-others',
    x_other: 'kept too',
    'x-original-url': '/user/login',
    'x-forwarded-host': 'evil.example',
    referer: 'http://127.0.0.1/V1/?X-Amz-Signature=not-a-secret-of-others',
    'x-amz-meta-a': 'kept',
  })
  expect(response.status).toBe(200)
  const [headers = {}] = seen
  expect(JSON.stringify(headers)).not.toMatch(/not-a-secret-of-others|DELETE|evil|login|20000101/)
  expect(headers).toMatchObject({ 'x-amz-meta-a': 'kept', x_other: 'kept too' })
  expect(headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=EMULATORCLIENTKEY\//)
})

test.each(['authorization', 'x-svc-security-token'])(
  'a client that sends a credential of its own in %s is told that it counts for nothing here',
  async (name) => {
    const { emulator, url, logged } = await openEmulated()
    const response = await get(`${url}/user/groups`, {
      ...secretHeader,
      [name]: 'Bearer of-others',
    })
    expect([response.status, response.headers.get('x-svc-proxy')]).toEqual([400, 'refused'])
    const text = await response.text()
    expect(text).toContain(`leave out the header ${name}: the proxy adds the credential itself`)
    expect(text).not.toContain('of-others')
    expect(await logged(1)).toEqual([expect.stringMatching(/ 400 .* InvalidRequest$/)])
    expect(emulator.requests).toEqual([])
  },
)

describe("a signature with the proxy's own key pair", () => {
  test('lets in, whatever region it names, and is replaced', async () => {
    const { emulator, port } = await openEmulated()
    for (const region of ['us-east-1', 'anywhere']) {
      const head = signedHead({ port, path: '/V1/', query: 'list-type=2', region })
      expect(await sendRaw(port, head)).toMatch(/^HTTP\/1\.1 200 /)
      const { auth, headers } = emulator.requests.at(-1) ?? {}
      expect(auth).toMatchObject({ ok: true, accessKeyId: 'EMULATORCLIENTKEY' })
      expect(headers?.['authorization']).not.toContain(placeholderKey.accessKeyId)
    }
  })

  test.each([
    [
      'another key',
      { key: { accessKeyId: 'OTHER', secretAccessKey: 'x'.repeat(20) } },
      'InvalidAccessKeyId',
    ],
    [
      'another secret',
      { key: { ...placeholderKey, secretAccessKey: 'x'.repeat(20) } },
      'SignatureDoesNotMatch',
    ],
    ['another date', { at: Date.now() - 3_600_000 }, 'RequestTimeTooSkewed'],
    ['another signature', { signature: 'a'.repeat(64) }, 'SignatureDoesNotMatch'],
    ['a path that was changed', { path: '/V1/%61' }, 'SignatureDoesNotMatch'],
  ])(
    'that is wrong is refused in the XML of an object store, even with the secret: %s',
    async (name, change, code) => {
      const { emulator, port } = await openEmulated()
      const signed = signedHead({ port, headers: [['x-svc-proxy-secret', proxySecret]], ...change })
      const head = name.startsWith('a path') ? signed.replace('/V1/%61', '/V1/b') : signed
      const response = await sendRaw(port, head)
      expect(response).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(response).toContain(`<Code>${code}</Code>`)
      expect(response).not.toMatch(/[\da-f]{64}/)
      expect(emulator.requests).toEqual([])
    },
  )

  test('is refused where the proxy has no key pair, with the remedy', async () => {
    const { port } = await openEmulated({
      env: { SVC_AUTH_PROXY_ACCESS_KEY_ID: '', SVC_AUTH_PROXY_SECRET_ACCESS_KEY: '' },
    })
    expect(await sendRaw(port, signedHead({ port }))).toContain('--print-keys')
  })

  test('is made with a key pair that is made up and told once with --print-keys', async () => {
    const { port, notes } = await openEmulated({
      flags: ['--print-keys'],
      env: { SVC_AUTH_PROXY_ACCESS_KEY_ID: '', SVC_AUTH_PROXY_SECRET_ACCESS_KEY: '' },
    })
    const [, accessKeyId = '', secretAccessKey = ''] =
      /AWS_ACCESS_KEY_ID=(\S+) AWS_SECRET_ACCESS_KEY=(\S+)$/m.exec(notes()) ?? []
    const head = signedHead({ port, path: '/V1/', key: { accessKeyId, secretAccessKey } })
    expect(await sendRaw(port, head)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a presigned URL', () => {
  const line = (target: string, port: number, more = ''): string =>
    `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n${more}\r\n`

  test('of the own key pair lets in, and its signature goes no further', async () => {
    const { emulator, port } = await openEmulated()
    const target = presignedTarget({ port, path: '/V1/', query: 'list-type=2' })
    expect(await sendRaw(port, line(target, port))).toMatch(/^HTTP\/1\.1 200 /)
    expect(emulator.requests.at(-1)?.target).toBe('/V1/?list-type=2')
  })

  test.each([
    [
      'another key',
      (port: number) =>
        presignedTarget({ port, key: { accessKeyId: 'OTHER', secretAccessKey: 'x'.repeat(20) } }),
    ],
    [
      'a signature that was changed',
      (port: number) => presignedTarget({ port, signature: 'a'.repeat(64) }),
    ],
    ['a signature alone', () => '/V1/a?X-Amz-Signature=aa'],
    [
      'names in another case',
      (port: number) => presignedTarget({ port }).replaceAll('X-Amz-', 'x-amz-'),
    ],
    ['an escaped name', () => '/V1/a?X%2dAmz-Signature=aa'],
    ['a security token alone', () => '/V1/a?X-Amz-Security-Token=aa'],
    ['version 2', () => '/V1/a?AWSAccessKeyId=a&Expires=1&Signature=b'],
  ])('of %s is refused, even with the secret', async (_name, target) => {
    const { emulator, port } = await openEmulated()
    for (const more of ['', `x-svc-proxy-secret: ${proxySecret}\r\n`]) {
      expect(await sendRaw(port, line(target(port), port, more))).toMatch(/^HTTP\/1\.1 4\d\d /)
    }
    expect(emulator.requests).toEqual([])
  })
})

test.each([
  '/user/login',
  '/User/LOGIN',
  '//user//login/',
  '/%75ser/login',
  '/user%2flogin',
  '/user;a/login;b',
  '/user/login?a=b',
])('nobody logs in through the proxy: %s', async (path) => {
  const { emulator, url } = await openEmulated()
  for (const method of ['POST', 'GET']) {
    const response = await fetch(url + path, { method, headers: secretHeader })
    expect(response.status).toBe(403)
  }
  expect(emulator.requests).toEqual([])
})

test.each([
  ['SVC_AUTH_PROXY_SECRET', { SVC_AUTH_PROXY_SECRET: 'short' }],
  ['SVC_AUTH_PROXY_SECRET', { SVC_AUTH_PROXY_SECRET: 'not visible ASCII: é è à' }],
  ['SVC_AUTH_PROXY_ACCESS_KEY_ID', { SVC_AUTH_PROXY_ACCESS_KEY_ID: '' }],
  ['SVC_AUTH_PROXY_SECRET_ACCESS_KEY', { SVC_AUTH_PROXY_SECRET_ACCESS_KEY: '' }],
  ['SVC_AUTH_PROXY_SECRET_ACCESS_KEY', { SVC_AUTH_PROXY_SECRET_ACCESS_KEY: 'short' }],
])('%s that is wrong ends with 2 and is named, never its value', async (name, env) => {
  const { exitCode, notes } = await openEmulated({ env })
  expect(await exitCode).toBe(2)
  expect(notes()).toContain(`svc-auth: ${name} must`)
  expect(notes()).not.toMatch(/short|é/)
})
