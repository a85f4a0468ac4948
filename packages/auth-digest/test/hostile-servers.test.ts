import { createHash } from 'node:crypto'
import { authFetch } from '@svc/auth-digest'
import { describe, expect, test } from 'vitest'
import { adapters, causes } from '../../auth-hooks/test/support/adapters.ts'
import { redirectTo, serve } from '../../auth-hooks/test/support/server.ts'
import { challenge, challengeWith, digestOf, failureOf, parameterOf } from './support/challenges.ts'
import { reader } from './support/reference-server.ts'

// It sends nothing.
const clients = adapters.filter(([name]) => name !== 'authorizeRequest')

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

describe('a hostile server', () => {
  test('a nonce that is stale with every response ends after three answers', async () => {
    const server = await serve(({ count, headers }, response) =>
      challenge(response, challengeWith(`n${count}`, headers.authorization ? ', stale=true' : '')),
    )
    const send = authFetch(digestOf({ baseUrl: server.origin }))
    const error = await failureOf(send(server.origin))
    expect(error).toMatchObject({ code: 'ERR_AUTH_CHALLENGE', retryAt: expect.any(Number) })
    expect(server.arrived).toHaveLength(4)
    await failureOf(send(server.origin))
    expect(server.arrived).toHaveLength(4)
  })

  test('a realm that is another one with every response ends after one answer', async () => {
    const server = await serve(({ count }, response) =>
      challenge(response, challengeWith('n').replace('"r"', `"r${count}"`)),
    )
    const error = await failureOf(authFetch(digestOf({ baseUrl: server.origin }))(server.origin))
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    expect(server.arrived).toHaveLength(2)
  })

  test('two realms on one server are both answered', async () => {
    const server = await serve(({ headers, path }, response) => {
      const realm = path.slice(1)
      if (parameterOf(headers.authorization, 'realm') === realm) response.end()
      else challenge(response, challengeWith(`n-${realm}`).replace('"r"', `"${realm}"`))
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }), { baseUrl: server.origin })
    const paths = ['/a', '/b', '/a', '/a', '/b', '/b']
    for (const path of paths) expect((await send(path)).status).toBe(200)
    const all = await Promise.all([...paths, ...paths].map((path) => send(path)))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    const counts = server.arrived.map(
      ({ headers: { authorization } }) =>
        `${parameterOf(authorization, 'nonce')} ${parameterOf(authorization, 'nc')}`,
    )
    const sent = counts.filter((count) => !count.includes('undefined'))
    expect(new Set(sent).size).toBe(sent.length)
  })

  test('each realm of a chain of redirects is answered, and each stale nonce of it', async () => {
    const realms = ['a', 'b', 'c']
    const seen = new Set<string>()
    const server = await serve(({ headers: { authorization }, path }, response) => {
      const realm = path.slice(1)
      const next = realms[realms.indexOf(realm) + 1]
      const isRight = parameterOf(authorization, 'realm') === realm
      const nonce = isRight ? parameterOf(authorization, 'nonce') : undefined
      const isStale = isRight && !seen.has(realm)
      if (isStale) seen.add(realm)
      if (!isRight || isStale) {
        const more = isStale ? ', stale=true' : ''
        challenge(response, challengeWith(`${nonce}-n`, more).replace('"r"', `"${realm}"`))
      } else if (next === undefined) response.end()
      else redirectTo(response, 307, `/${next}`)
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }), { baseUrl: server.origin })
    expect((await send('/a')).status).toBe(200)
    expect(server.arrived.map(({ path }) => path).join('')).toBe('/a/a/a/b/b/b/c/c/c')
  })

  test('a redirect to a new realm each time comes to an end', async () => {
    const server = await serve(({ count }, response) => {
      if (count % 2) challenge(response, challengeWith('n').replace('"r"', `"r${count}"`))
      else redirectTo(response, 307, `/${count}`)
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }), { baseUrl: server.origin })
    expect((await send('/')).status).toBe(401)
    expect(server.arrived.length).toBeLessThanOrEqual(18)
  })

  test('no answer goes where domain points, nor to the target of a redirect', async () => {
    const elsewhere = await serve()
    const server = await serve(({ headers, path }, response) => {
      const domain = `, domain="${elsewhere.origin}/ /"`
      if (!headers.authorization) challenge(response, challengeWith('n', domain))
      else if (path === '/away') response.writeHead(302, { location: elsewhere.origin }).end()
      else response.end()
    })
    const auth = digestOf({ baseUrl: server.origin })
    const send = authFetch(auth, { redirect: 'follow' })
    expect((await send(server.origin)).status).toBe(200)
    await failureOf(
      authFetch(auth)(elsewhere.origin).catch((error: Error) => {
        throw Object.assign(error, { message: `digest: ${error.message}` })
      }),
    )
    expect((await send(`${server.origin}/away`)).status).toBe(200)
    expect(elsewhere.arrived.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  test('several challenges in fields of their own are read, and one of a proxy is not', async () => {
    const server = await serve(({ headers }, response) => {
      if (headers.authorization) return response.end()
      response.setHeader('proxy-authenticate', challengeWith('proxy'))
      const weak = 'Digest realm="r", nonce="md5", qop="auth"'
      return challenge(response, ['Negotiate', weak, 'Basic realm="b, c"', challengeWith('own')])
    })
    expect((await authFetch(digestOf({ baseUrl: server.origin }))(server.origin)).status).toBe(200)
    expect(parameterOf(server.arrived[1]?.headers.authorization, 'nonce')).toBe('own')
    expect(server.arrived[1]?.headers['proxy-authorization']).toBeUndefined()
  })

  test.each(clients)(
    'a wrong proof is an error in %s, and a missing one is none',
    async (_name, connect) => {
      const server = await serve(({ headers, path }, response) => {
        if (!headers.authorization) return challenge(response, challengeWith('n'))
        if (path === '/wrong') response.setHeader('authentication-info', 'rspauth="0123", qop=auth')
        return response.end()
      })
      const send = connect(digestOf({ baseUrl: server.origin }))
      const error = await send(`${server.origin}/wrong`).catch((reason: unknown) => causes(reason))
      const own = expect.objectContaining({ name: 'AuthError', code: 'ERR_AUTH_CHALLENGE' })
      expect(error).toContainEqual(own)
      expect(await send(server.origin)).toBe(200)
    },
  )

  test.each(clients)(
    'a realm of bytes beyond ASCII is answered with these by %s',
    async (_name, connect) => {
      const realm = 'Größe €'
      const latin1 = Buffer.from(realm).toString('latin1')
      const server = await serve(({ headers }, response) => {
        if (headers.authorization) response.end()
        else challenge(response, challengeWith('n').replace('"r"', `"${latin1}"`))
      })
      expect(await connect(digestOf({ baseUrl: server.origin }))(server.origin)).toBe(200)
      const { authorization } = server.arrived[1]?.headers ?? {}
      expect(parameterOf(authorization, 'realm')).toBe(latin1)
      const key = sha256(`${reader.username}:${realm}:${reader.password}`)
      const middle = `n:00000001:${parameterOf(authorization, 'cnonce')}:auth`
      const response = sha256(`${key}:${middle}:${sha256('GET:/')}`)
      expect(parameterOf(authorization, 'response')).toBe(response)
    },
  )

  test('a next nonce with each response is used by 200 callers, and no count of it twice', async () => {
    let nonces = 0
    const server = await serve(({ headers }, response) => {
      if (!headers.authorization) return challenge(response, challengeWith('first'))
      const next = `nextnonce="next-${(nonces += 1)}"`
      return setTimeout(() => response.setHeader('authentication-info', next).end(), nonces % 7)
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }))
    for (let round = 1; round <= 2; round += 1) {
      const all = await Promise.all(Array.from({ length: 200 }, () => send(server.origin)))
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    }
    const counts = server.arrived
      .map(({ headers: { authorization } }) => authorization)
      .filter((value) => value !== undefined)
      .map((value) => `${parameterOf(value, 'nonce')} ${parameterOf(value, 'nc')}`)
    expect(counts).toHaveLength(400)
    expect(new Set(counts).size).toBe(400)
  })

  test('an open folder costs 200 callers of a closed one no challenge each', async () => {
    const server = await serve(({ headers, path }, response) => {
      if (headers.authorization || path === '/') response.end()
      else challenge(response, challengeWith('n'))
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }), { baseUrl: server.origin })
    expect((await send('/')).status).toBe(200)
    const calls = Array.from({ length: 200 }, (_, at) => send(`/cgi/${at}?at=${at}`))
    const all = await Promise.all([...calls, ...calls.map(() => send('/'))])
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    const challenged = server.arrived.filter(
      ({ headers, path }) => path !== '/' && !headers.authorization,
    )
    expect(challenged).toHaveLength(1)
  })

  test('open folders are not waited for, one after the other', async () => {
    const waiting: (() => void)[] = []
    const server = await serve(({ path }, response) => {
      if (path === '/') return response.end()
      waiting.push(() => response.end())
      if (waiting.length === 200) for (const respond of waiting) respond()
      return undefined
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }), { baseUrl: server.origin })
    await send('/')
    const all = await Promise.all(Array.from({ length: 200 }, (_, at) => send(`/folder-${at}/a`)))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('a server without a challenge is open: nobody waits for another one', async () => {
    let release = (): void => {}
    const server = await serve(({ count }, response) => {
      if (count === 1 || count === 3) response.end()
      else release = () => response.end()
    })
    const send = authFetch(digestOf({ baseUrl: server.origin }))
    expect((await send(server.origin)).status).toBe(200)
    const slow = send(server.origin)
    await expect.poll(() => server.arrived.length).toBe(2)
    expect((await send(server.origin)).status).toBe(200)
    release()
    expect((await slow).status).toBe(200)
  })
})
