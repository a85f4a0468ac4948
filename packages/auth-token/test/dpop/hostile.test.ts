import { inspect } from 'node:util'
import type { AuthEvent } from '@svc/auth-hooks'
import { authFetch, createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { dpop } from '@svc/auth-token/dpop'
import { clientCredentials } from '@svc/auth-token/oauth2'
import { describe, expect, test } from 'vitest'
import { adapters } from '../../../auth-hooks/test/support/adapters.ts'
import { redirectTo, serve } from '../../../auth-hooks/test/support/server.ts'
import { reports, respond, secrets } from '../oauth2/support/authorization-server.ts'
import { learn, type Server, serverOf } from '../testing.ts'
import { failureOf } from '../support/failure.ts'
import { readProof } from './support/resource-server.ts'
import { boundService } from './support/sessions.ts'

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' }
const nonceOf = (proof: unknown): string | undefined => readProof(proof).payload.nonce
const demand = (nonce: string) => ({
  'www-authenticate': 'DPoP error="use_dpop_nonce"',
  'dpop-nonce': nonce,
})

/** A session with a good token, and a server that does with it what a test says. */
async function hostileService(respondTo: Parameters<typeof serve>[0]) {
  const { server, session } = await boundService()
  const hostile = await serve(respondTo)
  const auth = session({ baseUrl: hostile.origin })
  return { server, hostile, auth, send: authFetch(auth, { baseUrl: hostile.origin }) }
}

describe('a resource server', () => {
  test('that asks for another nonce with every response is sent two requests, at first three, and no login', async () => {
    const { server, hostile, send } = await hostileService(({ count }, response) =>
      response.writeHead(401, demand(`n${count}`)).end(),
    )
    for (const requests of [3, 5]) {
      expect((await send('/')).status).toBe(401)
      expect(hostile.arrived).toHaveLength(requests)
    }
    expect(hostile.arrived.map(({ headers }) => nonceOf(headers['dpop']))).toEqual([
      undefined,
      'n1',
      'n2',
      'n3',
      'n4',
    ])
    expect(server.tokenRequests).toHaveLength(1)
  })

  test.each([
    ['none', undefined],
    ['one of 16 kB', 'n'.repeat(15_000)],
    ['a blank', 'a b'],
    ['a quote', 'a"b'],
    ['a backslash', String.raw`a\b`],
    ['two', 'a, b'],
    ['a letter beyond ASCII', 'n\u00e4'],
  ])(
    'that asks for a nonce and gives %s is told so, and gets no second request',
    async (_, nonce) => {
      const { server, hostile, send } = await hostileService((_request, response) => {
        const { 'dpop-nonce': given, ...rest } = demand(nonce ?? '')
        response
          .writeHead(401, { ...rest, ...(nonce !== undefined && { 'dpop-nonce': given }) })
          .end()
      })
      const error = await failureOf(send('/a?b=c'))
      expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE' })
      expect(error.message).toContain(`GET ${hostile.origin}/a: dpop: the server asks for a nonce`)
      expect(hostile.arrived).toHaveLength(1)
      expect(server.tokenRequests).toHaveLength(1)
    },
  )

  test('may send its nonce with any status', async () => {
    const statuses = [200, 204, 304, 403, 404, 429, 500, 503, 200]
    const { hostile, send } = await hostileService(({ count }, response) =>
      response.writeHead(statuses[count - 1] ?? 200, { 'dpop-nonce': `n${count}` }).end(),
    )
    for (const status of statuses) expect((await send('/')).status).toBe(status)
    const nonces = hostile.arrived.map(({ headers }) => nonceOf(headers['dpop']))
    expect(nonces).toEqual([undefined, ...statuses.slice(1).map((_, at) => `n${at + 1}`)])
  })

  test('that asks for a nonce with the challenge of another scheme refuses the token', async () => {
    const { server, hostile, send } = await hostileService((_, response) =>
      response
        .writeHead(401, {
          ...demand('n'),
          'www-authenticate': 'Bearer error="use_dpop_nonce", DPoP algs="ES256"',
        })
        .end(),
    )
    expect((await send('/')).status).toBe(401)
    expect([hostile.arrived.length, server.tokenRequests.length]).toEqual([2, 2])
  })

  test('that calls every proof wrong costs no login', async () => {
    const { server, hostile, send } = await hostileService((_, response) =>
      response.writeHead(401, { 'www-authenticate': 'DPoP error="invalid_dpop_proof"' }).end(),
    )
    for (const path of ['/', '/', '/']) expect((await send(path)).status).toBe(401)
    expect([hostile.arrived.length, server.tokenRequests.length]).toEqual([3, 1])
  })

  test('that calls every token wrong gets no more logins than with Bearer', async () => {
    const { server, send } = await hostileService((_, response) =>
      response
        .writeHead(401, { 'www-authenticate': 'DPoP error="invalid_token"', 'dpop-nonce': 'n' })
        .end(),
    )
    for (let call = 0; call < 5; call += 1) expect((await send('/')).status).toBe(401)
    expect(server.tokenRequests.length).toBeLessThanOrEqual(2)
  })

  test('whose clock is off is sent the time that it has, once it said so', async () => {
    const hour = 3_600_000
    const { server, resource, session } = await boundService({ skewMs: -5 * hour })
    const send = authFetch(session(), { baseUrl: resource.origin })
    const first = await Promise.all(['/a', '/b', '/c'].map((path) => send(path)))
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200])
    const { length } = resource.served
    expect((await send('/d')).status).toBe(200)
    expect(resource.served).toHaveLength(length + 1)
    resource.world.skewMs = 0
    expect((await send('/e')).status).toBe(200)
    expect(resource.served).toHaveLength(length + 3)
    expect(server.tokenRequests).toHaveLength(1)
  })

  test.each([-3_600_000, 3_600_000])(
    'whose clock is off by %i ms may look at the time first, and then ask for a nonce',
    async (skewMs) => {
      const { server, hostile, send } = await hostileService(({ headers }, response) => {
        const { iat, nonce } = readProof(headers['dpop']).payload
        const now = Date.now() + skewMs
        response.setHeader('date', new Date(now).toUTCString())
        const isTimely = Math.abs(iat * 1000 - now) < 10_000
        const refusal = isTimely
          ? demand('n')
          : { 'www-authenticate': 'DPoP error="invalid_dpop_proof"' }
        if (isTimely && nonce === 'n') response.end()
        else response.writeHead(401, refusal).end()
      })
      expect((await send('/')).status).toBe(200)
      expect(hostile.arrived).toHaveLength(3)
      expect(server.tokenRequests).toHaveLength(1)
    },
  )

  test('that refuses a proof for its time and its nonce in turn is sent three requests', async () => {
    const { server, hostile, send } = await hostileService(({ count }, response) => {
      response.setHeader('date', new Date(Date.now() + count * 60_000).toUTCString())
      const refusal = { 'www-authenticate': 'DPoP error="invalid_dpop_proof"' }
      response.writeHead(401, count % 2 ? refusal : demand(`n${count}`)).end()
    })
    expect((await send('/')).status).toBe(401)
    expect(hostile.arrived).toHaveLength(3)
    expect(server.tokenRequests).toHaveLength(1)
  })

  test('that serves what is old changes no time', async () => {
    const { hostile, send } = await hostileService((_, response) =>
      response.writeHead(200, { date: new Date(0).toUTCString(), 'dpop-nonce': 'n' }).end(),
    )
    await send('/')
    await send('/')
    const { iat } = readProof(hostile.arrived[1]?.headers['dpop']).payload
    expect(Math.abs(iat * 1000 - Date.now())).toBeLessThan(60_000)
  })
})

describe('a body that can be sent once', () => {
  const upload = (): object => ({
    method: 'PUT',
    body: new Blob(['text']).stream(),
    duplex: 'half',
  })

  test('fails with an error of its own, and the next one has the nonce', async () => {
    const { server, resource, session } = await boundService({ nonces: 'one' })
    const send = authFetch(session(), { baseUrl: resource.origin })
    const error = await failureOf(send('/a', upload()))
    expect(error).toMatchObject({ code: 'ERR_AUTH_BODY' })
    expect(error.message).toMatch(/PUT http:.*\/a: dpop: .*call again with a new one$/)
    expect((await send('/a', upload())).status).toBe(200)
    expect(resource.problems()).toEqual(['use_dpop_nonce', null])
    expect(server.tokenRequests).toHaveLength(1)
  })
})

describe('another origin', () => {
  test('that a redirect leads to gets neither token nor proof nor nonce', async () => {
    const elsewhere = await serve((_, response) => response.writeHead(401, demand('theirs')).end())
    const { hostile, auth } = await hostileService(({ path }, response) => {
      response.setHeader('dpop-nonce', 'ours')
      if (path === '/away') redirectTo(response, 307, `${elsewhere.origin}/b`)
      else response.end()
    })
    const send = authFetch(auth, { redirect: 'follow' })
    expect((await send(`${hostile.origin}/away`)).status).toBe(401)
    const error = await failureOf(authFetch(auth)(`${hostile.origin}/away`))
    expect(error.code).toMatch(/^ERR_AUTH_(?:REDIRECT|ORIGIN)$/)
    expect(elsewhere.arrived).toHaveLength(1)
    const [{ headers } = { headers: undefined }] = elsewhere.arrived
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('dpop')
    await send(hostile.origin)
    expect(nonceOf(hostile.arrived.at(-1)?.headers['dpop'])).toBe('ours')
  })

  test('that is allowed has nonces of its own, and a proof for its own address', async () => {
    const other = await serve((_, response) => {
      response.writeHead(200, { 'dpop-nonce': 'other' }).end()
    })
    const { hostile, send } = await hostileService(({ path }, response) => {
      response.setHeader('dpop-nonce', 'first')
      if (path === '/there') redirectTo(response, 307, `${other.origin}/b?c`)
      else if (path === '/here') redirectTo(response, 302, '/b#d')
      else response.end()
    })
    expect((await send('/here')).status).toBe(200)
    const [first, second] = hostile.arrived.map(({ headers }) => readProof(headers['dpop']).payload)
    expect(first).toMatchObject({ htu: `${hostile.origin}/here` })
    expect(second).toMatchObject({ htu: `${hostile.origin}/b`, nonce: 'first' })
    expect(first?.jti).not.toBe(second?.jti)

    const { session } = await boundService()
    const both = session({ baseUrl: hostile.origin, origins: [other.origin] })
    expect((await authFetch(both)(`${hostile.origin}/there`)).status).toBe(200)
    const [there] = other.arrived
    expect(readProof(there?.headers['dpop']).payload).toMatchObject({ htu: `${other.origin}/b` })
    // The nonce of the redirect is that of the first one.
    expect(nonceOf(there?.headers['dpop'])).toBeUndefined()
    await authFetch(both)(`${hostile.origin}/a`)
    await authFetch(both)(`${other.origin}/a`)
    expect(nonceOf(hostile.arrived.at(-1)?.headers['dpop'])).toBe('first')
    expect(nonceOf(other.arrived.at(-1)?.headers['dpop'])).toBe('other')
  })

  test('of a resource may be that of the authorization server, whose nonces are others', async () => {
    const proofs: string[] = []
    const nonces: (string | undefined)[] = []
    const both = await serve(({ path, headers, count }, response) => {
      proofs.push(path)
      nonces.push(nonceOf(headers['dpop']))
      response.setHeader('dpop-nonce', `${path} ${count}`.replaceAll(/[/ ]/g, ''))
      response.end('{"access_token":"a","token_type":"DPoP","expires_in":60}')
    })
    const options = { issuer: both.origin, clientId: 'a', clientSecret: 'b', dpop: dpop() }
    const own = clientCredentials({ ...options, tokenEndpoint: `${both.origin}/token` })
    const auth = createSessionAuth({ baseUrl: both.origin, ...own })
    await authFetch(auth)(`${both.origin}/a`)
    await auth.invalidate()
    await authFetch(auth)(`${both.origin}/a`)
    expect(proofs).toEqual(['/token', '/a', '/token', '/a'])
    expect(nonces).toEqual([undefined, undefined, 'token1', 'a2'])
  })

  test('tells its time to all whose proofs were refused, and one whose clock is right to nobody', () => {
    const server: Server = { skewMs: 0 }
    const now = 1_800_000_000_000
    const learnAt = (date: number): boolean =>
      learn(server, new Headers({ date: new Date(date).toUTCString() }), now)
    expect([now - 1000, now - 2000, now + 60_000, now + 60_000, now, now].map(learnAt)).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
    ])
    expect(learn(server, new Headers(), now)).toBe(false)
    expect(learn(server, new Headers({ date: 'soon' }), now)).toBe(false)
  })

  test('of which there are many keep 1,000 nonces', () => {
    const servers = new Map<string, Server>()
    const own = 'https://api.example.com'
    serverOf(servers, own).nonce = 'own'
    for (let at = 0; at < 2000; at += 1) {
      const server = serverOf(servers, `https://${at}.example.com`)
      server.nonce = `n${at}`
      // One that is in use stays.
      serverOf(servers, own)
    }
    expect(servers.size).toBe(1000)
    expect(servers.get(own)?.nonce).toBe('own')
    expect(servers.get('https://1999.example.com')?.nonce).toBe('n1999')
  })
})

const following = adapters.filter(([name]) => /^auth(?:Fetch$|Ky|Axios|Got)/.test(name))

test.each(following)(
  'each server of a chain of redirects may ask %s for a nonce',
  async (_name, connect) => {
    const { session } = await boundService()
    const asking = (nonce: string, next?: string) =>
      serve(({ headers }, response) => {
        if (nonceOf(headers['dpop']) !== nonce) response.writeHead(401, demand(nonce)).end()
        else if (next === undefined) response.end()
        else redirectTo(response, 307, next)
      })
    const fourth = await asking('n4')
    const third = await asking('n3', fourth.origin)
    const second = await asking('n2', third.origin)
    const first = await asking('n1', second.origin)
    const origins = [second, third, fourth].map(({ origin }) => origin)
    expect(await connect(session({ baseUrl: first.origin, origins }))(first.origin)).toBe(200)
    for (const { arrived } of [first, second, third, fourth]) expect(arrived).toHaveLength(2)
  },
)

test('a server that redirects to itself and asks for another nonce each time comes to an end', async () => {
  const { hostile, send } = await hostileService(({ count }, response) => {
    if (count % 2) response.writeHead(401, demand(`n${count}`)).end()
    else redirectTo(response, 307, `/${count}`)
  })
  expect((await send('/')).status).toBe(401)
  expect(hostile.arrived.length).toBeLessThanOrEqual(17)
})

describe('an authorization server', () => {
  test.each([
    ['Bearer', 'not DPoP'],
    [undefined, 'missing'],
    ['N_A', 'not DPoP'],
  ])('that gives a token of type %s in place of DPoP is refused', async (type, what) => {
    const { server, resource, session } = await boundService()
    server.world.intercept = async ({ exchange, response }) => {
      const found = await exchange()
      const body = JSON.stringify({ ...JSON.parse(found.body), token_type: type })
      respond(response, { ...found, headers: { 'content-type': 'application/json' }, body })
    }
    const error = await failureOf(authFetch(session())(resource.origin))
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_FAILED' })
    expect(error.message).toContain(`its token_type is ${what}`)
    expect(resource.served).toEqual([])
  })

  test('without DPoP is asked for no token, unless its tokens may be sent as Bearer', async () => {
    const features = { dPoP: { enabled: false } }
    const { server, session } = await boundService({}, { features, binds: false })
    const error = await failureOf(session().getToken())
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_FAILED' })
    expect(error.message).toContain('dpop_signing_alg_values_supported with ES256')
    expect(server.tokenRequests).toEqual([])
    const allowed = session({ baseUrl: server.baseUrl, proofs: { allowBearer: true } })
    expect((await authFetch(allowed)(server.baseUrl)).status).toBe(200)
    // Where there are no metadata, only the token tells.
    const blind = session({ tokenEndpoint: `${server.issuer}/token` })
    expect((await failureOf(blind.getToken())).message).toContain('its token_type is not DPoP')
  })

  test('that gives a token of DPoP to a session without is refused', async () => {
    const { session } = await boundService()
    const error = await failureOf(session({ dpop: undefined }).getToken())
    expect(error.code).toMatch(/^ERR_AUTH_LOGIN_(?:REFUSED|FAILED)$/)
  })

  test('that asks for another nonce with every response is sent two requests', async () => {
    const { server, session } = await boundService()
    let count = 0
    server.world.intercept = async ({ response }) => {
      response.writeHead(400, {
        'content-type': 'application/json',
        'dpop-nonce': `n${(count += 1)}`,
      })
      response.end(JSON.stringify({ error: 'use_dpop_nonce' }))
    }
    const error = await failureOf(session().getToken())
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 400 })
    expect(server.tokenRequests.map(({ proof }) => nonceOf(proof))).toEqual([undefined, 'n1'])
  })

  test('that asks for a nonce and gives none is sent one request', async () => {
    const { server, session } = await boundService()
    server.world.intercept = async ({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: 'use_dpop_nonce' }))
    }
    await failureOf(session().getToken())
    expect(server.tokenRequests).toHaveLength(1)
  })

  test.each([-7, 7])(
    'whose clock is %i minutes off may look at an assertion first, and then ask for a nonce',
    async (minutes) => {
      const { server, session } = await boundService()
      const { privateKey } = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
      server.world.skewMs = minutes * 60_000
      server.world.intercept = async ({ form, proof, response }) => {
        const assertion = readProof(form.get('client_assertion')).payload
        const aheadSeconds = assertion.iat - Date.now() / 1000
        const isDated = Math.abs(aheadSeconds - minutes * 60) < 30
        const isRight = isDated && nonceOf(proof) === 'n'
        const error = isDated ? 'use_dpop_nonce' : 'invalid_client'
        const token = { access_token: 'a', token_type: 'DPoP', expires_in: 60 }
        const headers = {
          'content-type': 'application/json',
          ...(isDated && { 'dpop-nonce': 'n' }),
        }
        response.writeHead(isRight ? 200 : 400, headers)
        response.end(JSON.stringify(isRight ? token : { error }))
      }
      const tokenEndpoint = `${server.issuer}/token`
      const own = { clientId: 'keyed', clientSecret: undefined, privateKey, tokenEndpoint }
      expect(await session(own).getToken()).toBe('a')
      expect(server.tokenRequests).toHaveLength(3)
    },
  )

  test('that refuses every assertion and asks for nonces in turn is sent three requests', async () => {
    const { server, session } = await boundService()
    const { privateKey } = await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
    let count = 0
    server.world.intercept = async ({ response }) => {
      count += 1
      response.setHeader('date', new Date(Date.now() + count * 600_000).toUTCString())
      const headers = { 'content-type': 'application/json', 'dpop-nonce': `n${count}` }
      response.writeHead(400, headers)
      response.end(JSON.stringify({ error: count % 2 ? 'invalid_client' : 'use_dpop_nonce' }))
    }
    const tokenEndpoint = `${server.issuer}/token`
    const own = { clientId: 'keyed', clientSecret: undefined, privateKey, tokenEndpoint }
    await failureOf(session(own).getToken())
    expect(server.tokenRequests).toHaveLength(3)
  })

  test('whose clock is off is sent the time that it has', async () => {
    const { server, session } = await boundService()
    server.world.skewMs = 7_200_000
    server.world.intercept = async ({ proof, response }) => {
      const aheadMs = readProof(proof).payload.iat * 1000 - Date.now()
      const isRight = Math.abs(aheadMs - 7_200_000) < 60_000
      const token = { access_token: 'a', token_type: 'dpop', expires_in: 60 }
      response.writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isRight ? token : { error: 'invalid_dpop_proof' }))
    }
    expect(await session().getToken()).toBe('a')
    expect(server.tokenRequests).toHaveLength(2)
  })
})

test('the nonce of a refusal is that of its request alone, and that of all once it was taken', async () => {
  const { session } = await boundService()
  const auth = session()
  const url = new URL('http://127.0.0.1/a')
  const request = { method: 'GET', url, headers: new Headers(), body: undefined, attempt: 1 }
  const first = await session({ baseUrl: url }).authorize({ ...request, reason: 'initial' })
  expect(first.headers.map(([name]) => name)).toEqual(['authorization', 'dpop'])
  const head = (nonce: string) => ({ status: 401, headers: new Headers(demand(nonce)) })
  const nonceNow = async (previous?: ReturnType<typeof head>): Promise<string | undefined> => {
    const reason = previous ? 'use_dpop_nonce' : 'initial'
    const { headers } = await auth.authorize({ ...request, reason, ...(previous && { previous }) })
    return nonceOf(new Map(headers).get('dpop'))
  }
  const asking = await auth.authorize({ ...request, reason: 'initial' })
  expect(await asking.review?.(head('all'))).toMatch(/dpop/)
  const other = await auth.authorize({ ...request, reason: 'initial' })
  expect(await other.review?.(head('theirs'))).toMatch(/^use_dpop_nonce dpop/)
  expect([await nonceNow(head('theirs')), await nonceNow()]).toEqual(['theirs', 'all'])
  const again = { ...request, attempt: 2, reason: 'use_dpop_nonce', previous: head('theirs') }
  await (await auth.authorize(again)).review?.({ status: 200, headers: new Headers() })
  expect(await nonceNow()).toBe('theirs')
})

test('a login around another that leaves out the binding sends no token as Bearer', async () => {
  const { resource, server } = await boundService()
  const options = { issuer: server.issuer, clientId: 'basic', resource: reports, dpop: dpop() }
  const own = clientCredentials({ ...options, clientSecret: secrets.basic })
  const login: typeof own.login = async (context) => {
    const { token } = await own.login(context)
    return { token }
  }
  const auth = createSessionAuth({ baseUrl: resource.origin, ...own, login })
  expect(await failureOf(authFetch(auth)(resource.origin))).toMatchObject({
    code: 'ERR_AUTH_LOGIN_FAILED',
  })
  expect(resource.served).toEqual([])
})

test('a client with and without DPoP has two sessions', async () => {
  const { server, session } = await boundService({}, { binds: false })
  const shared = { baseUrl: server.baseUrl, session: 'shared' } as const
  const [bound, bearer] = [session(shared), session({ ...shared, dpop: undefined })]
  const tokens = [await bound.getToken(), await bearer.getToken()]
  const found = await Promise.all(tokens.map((token) => server.find(token)))
  expect(found.map((token) => token?.jkt === undefined)).toEqual([false, true])
})

test('schemes that are made for each request are one session, with one key and its nonces', async () => {
  const { server, resource } = await boundService({ nonces: 'one' })
  const scheme = (): TokenAuth =>
    createSessionAuth({
      baseUrl: resource.origin,
      ...clientCredentials({
        issuer: server.issuer,
        clientId: 'basic',
        clientSecret: secrets.basic,
        resource: reports,
        dpop: dpop(),
      }),
    })
  for (const path of ['/a', '/b', '/c']) {
    expect((await authFetch(scheme())(resource.origin + path)).status).toBe(200)
  }
  expect(resource.problems()).toEqual(['use_dpop_nonce', null, null, null])
  expect(server.tokenRequests).toHaveLength(1)
})

test('nothing shows the key', async () => {
  const events: AuthEvent[] = []
  const { resource, session } = await boundService()
  const option = dpop()
  const auth = session({ onEvent: (event) => events.push(event), dpop: option })
  await authFetch(auth)(resource.origin)
  const shown = [auth, auth.inspect(), option, events].flatMap((value) => [
    inspect(value, { depth: 9, showHidden: true }),
    JSON.stringify(value),
  ])
  const { x = 'none' } = resource.proofs()[0]?.header.jwk ?? {}
  for (const text of shown) {
    expect(text).not.toContain(x)
    expect(text).not.toContain('CryptoKey')
  }
})

test.each([
  [{ keyPair: 'a key' }, 'keyPair must be of ECDSA'],
  [{ keyPair: {} }, 'keyPair must be of ECDSA'],
  [{ allowBearer: 'yes' }, 'allowBearer must be true or false'],
  [{ key: {} }, 'keyPair'],
])('dpop(%o) is a TypeError', (options, message) => {
  expect(() => dpop(options as never)).toThrow(TypeError)
  expect(() => dpop(options as never)).toThrow(message)
})

test('an option dpop of another kind, and headers beside it, are a TypeError', () => {
  const client = { issuer: 'https://login.example.com', clientId: 'a', clientSecret: 'b' }
  for (const wrong of [true, {}, dpop]) {
    expect(() => clientCredentials({ ...client, dpop: wrong as never })).toThrow(
      'dpop must be what dpop() of @svc/auth-token/dpop returns',
    )
  }
  const own = clientCredentials({ ...client, dpop: dpop() })
  const headers = (token: string) => ({ 'x-token': token })
  expect(() => createSessionAuth({ baseUrl: 'https://api.example.com', ...own, headers })).toThrow(
    'headers must be left out with dpop',
  )
})
