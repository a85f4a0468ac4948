import { createServer } from 'node:net'
import type { AuthEvent } from '@svc/auth-hooks'
import { createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import { loopback, type LoopbackOptions } from '@svc/auth-token/sign-in'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manualTime } from '../support/time.ts'
import { createBrowser, navigation, type Page, send } from './support/browser.ts'
import { reports, startProvider } from './support/provider.ts'
import { scriptedServer, token } from './support/scripted-server.ts'
import { failure, withCode } from './support/sessions.ts'

const failed = withCode('ERR_AUTH_SIGN_IN_FAILED')

/** A session that asks in a browser, which the test is. */
function sessionOf(issuer: string, own: Partial<LoopbackOptions> = {}) {
  const time = manualTime()
  const opened: URL[] = []
  const events: AuthEvent[] = []
  const auth = createSessionAuth({
    baseUrl: 'https://api.example.com',
    ...refreshToken(
      loopback({
        issuer,
        clientId: 'app',
        scope: 'openid offline_access',
        open: (url) => opened.push(new URL(url)),
        ...own,
      }),
    ),
    store: memoryTokenStore(time.clock),
    session: 'own',
    clock: time.clock,
    onEvent: (event) => events.push(event),
  })
  return { auth, time, opened, events }
}

/** A sign-in that waits for the browser to come back. */
async function waiting(
  own: Partial<LoopbackOptions> = {},
  metadata: Readonly<Record<string, unknown>> = {},
) {
  const server = await scriptedServer()
  server.replies['/.well-known/openid-configuration'] = { ...server.metadata, ...metadata }
  const session = sessionOf(server.issuer, own)
  const { auth, opened } = session
  const outcome = auth.getToken().catch((error: unknown) => error)
  // No time passes until then.
  await expect.poll(() => opened.length).toBe(1)
  const [asked] = opened as [URL]
  const callback = new URL(asked.searchParams.get('redirect_uri') ?? '')
  const state = asked.searchParams.get('state') ?? ''
  /** Comes back as the browser does, but for what is given. */
  const comeBack = (
    parameters: Readonly<Record<string, string>> | string = {},
    {
      headers = {},
      method,
      path = callback.pathname,
      host = callback.host,
    }: {
      headers?: Readonly<Record<string, string>>
      method?: string
      path?: string
      host?: string
    } = {},
  ): Promise<Page> => {
    const url = new URL(path, callback)
    const given =
      typeof parameters === 'string' ? parameters : { code: 'a-code', state, ...parameters }
    url.search = new URLSearchParams(given).toString()
    return send(url, { ...navigation, host, ...headers }, undefined, method)
  }
  return { ...session, server, outcome, asked, callback, state, comeBack }
}

function isOpen(auth: TokenAuth): boolean {
  return auth.inspect().state === 'logging-in'
}

describe('a user who signs in in the browser', () => {
  test('is asked once, sees a page without secrets, and goes on with a client that was registered for it', async () => {
    const { issuer, count, provider } = await startProvider()
    const pages: Page[] = []
    const browser = createBrowser()
    const { auth, time } = sessionOf(issuer, {
      clientId: undefined,
      scope: 'openid offline_access read',
      resource: reports,
      async open(url) {
        pages.push(await browser.signIn(url))
      },
    })
    const first = await time.run(auth.getToken())
    expect(await provider.AccessToken.find(first)).toMatchObject({
      accountId: 'reader',
      aud: reports,
    })
    await time.advance(600_000)
    const next = await time.run(auth.getToken())
    expect(await provider.AccessToken.find(next)).toMatchObject({ aud: reports })
    expect(count('/reg')).toBe(1)
    expect(count('/token')).toBe(2)
    const [{ status, headers, text }] = pages as [Page]
    expect(status).toBe(200)
    expect(text).toContain('<title>Signed in</title>')
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      connection: 'close',
    })
    const parameters = [...new URL(pages[0]?.url ?? '').searchParams.values()]
    for (const secret of [...parameters, first, next]) expect(text).not.toContain(secret)
  })

  test('may cancel, which the page and the error say', async () => {
    const { issuer } = await startProvider()
    const pages: Page[] = []
    const { auth, time } = sessionOf(issuer, {
      async open(url) {
        pages.push(await createBrowser().cancel(url))
      },
    })
    expect(await time.run(failure(auth))).toEqual(withCode('ERR_AUTH_SIGN_IN_DENIED'))
    expect(pages[0]?.text).toContain('<title>Not signed in</title>')
    expect(pages[0]?.text).toContain('denied')
  })

  test('is sent there with PKCE, a state, and what was asked for', async () => {
    const { asked, comeBack, outcome, server, time } = await waiting({
      audience: 'the api',
      resource: reports,
    })
    const { state, code_challenge: challenge, ...rest } = Object.fromEntries(asked.searchParams)
    expect(rest).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      code_challenge_method: 'S256',
      scope: 'openid offline_access',
      prompt: 'consent',
      audience: 'the api',
      resource: reports,
    })
    expect(state).toMatch(/^[\w-]{43}$/)
    const page = comeBack({ iss: server.issuer })
    expect(await time.run(outcome)).toBe('a-token')
    expect((await page).text).toContain('Signed in')
    const { form } = server.first('/token')
    const { code_verifier: verifier = '', ...sent } = Object.fromEntries(form)
    expect(sent).toEqual({
      grant_type: 'authorization_code',
      client_id: 'app',
      code: 'a-code',
      redirect_uri: rest['redirect_uri'],
      resource: reports,
    })
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    expect(Buffer.from(digest).toString('base64url')).toBe(challenge)
  })
})

describe('whatever is not the callback is refused, and ends nothing', () => {
  test.for([
    ['a state of another', { state: 'another' }, {}, 400],
    ['no state', 'code=a-code', {}, 400],
    ['two states', 'code=a-code&state=STATE&state=STATE', {}, 400],
    ['an error of another site', { state: 'x', error: 'access_denied' }, {}, 400],
    ['another path', {}, { path: '/favicon.ico' }, 404],
    ['a path with more', {}, { path: '/callback/more' }, 404],
    ['a POST', {}, { method: 'POST' }, 405],
    ['a preflight', {}, { method: 'OPTIONS' }, 405],
    ['a name that leads here', {}, { host: 'attacker.example' }, 421],
    ['the other name of this machine', {}, { host: 'localhost:PORT' }, 421],
    ['an image of another site', {}, { headers: { 'sec-fetch-mode': 'no-cors' } }, 403],
    ['a frame of another site', {}, { headers: { 'sec-fetch-dest': 'iframe' } }, 403],
  ] as const)('%s', async ([, parameters, request, expected]) => {
    const { comeBack, auth, outcome, time, state, callback } = await waiting()
    const text = typeof parameters === 'string' ? parameters.replaceAll('STATE', state) : parameters
    const host = 'host' in request ? request.host.replace('PORT', callback.port) : callback.host
    const page = await comeBack(text, { ...request, host })
    expect(page.status).toBe(expected)
    expect(page.text).not.toContain('a-code')
    expect(page.headers['cache-control']).toBe('no-store')
    await time.advance(1000)
    expect(isOpen(auth)).toBe(true)
    void comeBack()
    expect(await time.run(outcome)).toBe('a-token')
  })

  test('a second callback, while the first is at work', async () => {
    const { comeBack, outcome, time, server } = await waiting()
    let respond = (): void => {}
    server.replies['/token'] = ({ response }) => {
      respond = () => void response.end(JSON.stringify(token()))
      response.writeHead(200, { 'content-type': 'application/json' })
      return undefined
    }
    const first = comeBack()
    await expect.poll(() => server.to('/token').length).toBe(1)
    expect((await comeBack({ code: 'another' })).status).toBe(409)
    respond()
    expect(await time.run(outcome)).toBe('a-token')
    expect((await first).status).toBe(200)
    expect(server.to('/token')).toHaveLength(1)
    // The port is closed.
    await expect(comeBack()).rejects.toThrow('ECONNREFUSED')
  })
})

test('a callback of a browser that does not say where its requests come from is taken', async () => {
  const { callback, state, outcome, time } = await waiting()
  const url = new URL(callback)
  url.search = new URLSearchParams({ code: 'a-code', state }).toString()
  const page = send(url, { host: callback.host })
  expect(await time.run(outcome)).toBe('a-token')
  expect((await page).status).toBe(200)
})

describe('a callback with the state ends the sign-in', () => {
  test.for([
    ['of another server', { iss: 'https://attacker.example' }, 'another server'],
    ['without a code', { code: '' }, 'without a code'],
    ['with an error', { error: 'invalid_scope' }, 'check scope'],
    ['with a text for an error', { error: '<b>' }, 'an unknown error'],
  ] as const)('%s', async ([, parameters, remedy]) => {
    const { comeBack, outcome, time, server } = await waiting()
    const page = comeBack(parameters)
    const thrown = await time.run(outcome)
    expect(thrown).toEqual(failed)
    expect(String(thrown)).toContain(remedy)
    expect((await page).text).toContain('<title>Not signed in</title>')
    expect(server.to('/token')).toEqual([])
  })

  test('without iss, where the server says that it sends one', async () => {
    const { comeBack, outcome, time } = await waiting(
      {},
      {
        authorization_response_iss_parameter_supported: true,
      },
    )
    void comeBack()
    const thrown = await time.run(outcome)
    expect(thrown).toEqual(failed)
    expect(String(thrown)).toContain('without the iss')
  })

  test('that the token endpoint refuses', async () => {
    const { comeBack, outcome, time, server } = await waiting()
    server.replies['/token'] = [400, { error: 'invalid_grant', error_description: 'a-code' }]
    const page = comeBack()
    const thrown = await time.run(outcome)
    expect(thrown).toEqual(failed)
    expect(String(thrown)).not.toContain('a-code')
    expect((await page).text).toContain('failed')
  })
})

describe('a browser that does not come back', () => {
  test.for([
    [
      'a script',
      {},
      { 'sec-fetch-mode': 'cors' },
      'Open this address in a browser',
      'no page that the user sees',
    ],
    ['a page of another sign-in', { state: 'another' }, {}, 'Begin again', 'not of this sign-in'],
  ] as const)('is not all there is to say where %s did', async ([, own, headers, remedy, why]) => {
    const { comeBack, outcome, time } = await waiting({ timeoutMs: 60_000 })
    const { text } = await comeBack(own, { headers })
    expect(text).toContain(remedy)
    await time.advance(60_000)
    const thrown = await outcome
    expect(thrown).toEqual(withCode('ERR_AUTH_SIGN_IN_TIMEOUT'))
    expect(String(thrown)).not.toContain('no browser came back')
    expect(String(thrown)).toContain('came back and was refused')
    expect(String(thrown)).toContain(why)
  })

  test('is waited for until the deadline, and the port is closed', async () => {
    const { comeBack, outcome, time, events } = await waiting({ timeoutMs: 60_000 })
    await time.advance(59_000)
    expect(events).toMatchObject([{ type: 'sign-in.asked', method: 'loopback' }])
    await time.advance(2000)
    expect(await outcome).toEqual(withCode('ERR_AUTH_SIGN_IN_TIMEOUT'))
    await expect(comeBack()).rejects.toThrow('ECONNREFUSED')
    expect(time.waiting).toBe(0)
  })

  test('is given up with the signal of the program', async () => {
    const controller = new AbortController()
    const { comeBack, outcome, time } = await waiting({ signal: controller.signal })
    controller.abort('enough')
    await time.advance(1)
    expect(await outcome).toBe('enough')
    await expect(comeBack()).rejects.toThrow('ECONNREFUSED')
  })

  test('cannot be opened', async () => {
    const { issuer } = await scriptedServer()
    const { auth, time } = sessionOf(issuer, {
      open: async () => {
        throw new Error('no browser')
      },
    })
    const thrown = await time.run(failure(auth))
    expect(thrown).toEqual(failed)
    expect(String(thrown)).toContain('open failed')
  })
})

describe('the port', () => {
  test('is on both addresses of this machine', async () => {
    const { comeBack, callback, outcome, time } = await waiting({
      redirectUri: 'http://localhost/back',
    })
    expect(callback.href).toMatch(/^http:\/\/localhost:\d+\/back$/)
    for (const address of ['127.0.0.1', '[::1]']) {
      const at = new URL(callback)
      at.hostname = address
      const page = await send(at, { ...navigation, host: callback.host })
      expect(page.status).toBe(400)
    }
    void comeBack()
    expect(await time.run(outcome)).toBe('a-token')
  })

  test.for(['127.0.0.1', '::1'])(
    'that is taken at %s is an error that says what to do',
    async (host) => {
      const other = createServer()
      await new Promise<void>((resolve) => other.listen(0, host, resolve))
      onTestFinished(() => void other.close())
      const address = other.address()
      const port = typeof address === 'object' ? address?.port : 0
      const { issuer } = await scriptedServer()
      const { auth, time, opened } = sessionOf(issuer, {
        redirectUri: `http://127.0.0.1:${port}/callback`,
      })
      const thrown = await time.run(failure(auth))
      expect(thrown).toEqual(failed)
      expect(String(thrown)).toContain('EADDRINUSE')
      expect(String(thrown)).toContain('without a port')
      expect(opened).toEqual([])
    },
  )
})

describe('a server is not asked', () => {
  test.for([
    ['without an authorization endpoint', { authorization_endpoint: undefined }],
    ['whose page anybody may change', { authorization_endpoint: 'http://a.example' }],
    ['whose address is a program', { authorization_endpoint: 'javascript:alert(1)' }],
    ['without PKCE', { code_challenge_methods_supported: ['plain'] }],
  ] as const)('%s', async ([, change]) => {
    const server = await scriptedServer()
    const metadata = { ...server.metadata, ...change }
    server.replies['/.well-known/openid-configuration'] = metadata
    const { auth, time, opened } = sessionOf(server.issuer)
    expect(await time.run(failure(auth))).toMatchObject({
      code: expect.stringMatching(/^ERR_AUTH_(?:SIGN_IN|LOGIN)_FAILED$/),
    })
    expect(opened).toEqual([])
  })
})
