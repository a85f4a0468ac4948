import { getEventListeners } from 'node:events'
import { type AuthError, authFetch, type AuthEvent } from '@svc/auth-digest'
import { describe, expect, test } from 'vitest'
import { serve } from '../../auth-hooks/test/support/server.ts'
import {
  challenge,
  challengeWith,
  digestOf,
  failureOf,
  headOf,
  parameterOf,
  requestOf,
} from './support/challenges.ts'
import { reader } from './support/reference-server.ts'
import { serveStrictly } from './support/strict-server.ts'

const wrong = { ...reader, password: 'wrong' }
const rules = { uses: 'any', saysStale: true, givesNext: false } as const

describe('a wrong password', () => {
  test.each(['met a 503', 'was aborted'])(
    'is not right by the 200 of an open path, after its first answer %s',
    async (fault) => {
      const controller = new AbortController()
      let isFirst = true
      const server = await serveStrictly(rules, ({ headers, path }, response) => {
        if (path.startsWith('/public/')) response.end('yes')
        else if (headers.authorization && isFirst) {
          isFirst = false
          if (fault === 'met a 503') response.writeHead(503).end()
          else controller.abort()
        } else return false
        return true
      })
      const auth = digestOf({ baseUrl: server.origin, credentials: wrong })
      const send = authFetch(auth, { baseUrl: server.origin })
      await send('/private/a', { signal: controller.signal }).catch(() => {})
      expect(isFirst).toBe(false)
      for (const path of ['/public/a', '/public/b']) expect((await send(path)).status).toBe(200)
      expect(auth.inspect()).toEqual({ state: 'challenged' })

      const calls = Array.from({ length: 200 }, (_, at) => send(`/private/${at}`))
      const codes = (await Promise.allSettled(calls)).map((result) =>
        result.status === 'rejected' ? (result.reason as AuthError).code : result.value.status,
      )
      expect(new Set(codes)).toEqual(new Set(['ERR_AUTH_LOGIN_REFUSED']))
      expect(server.wrong()).toBe(1)
    },
  )

  test('is sent once, though the server refuses it without a challenge', async () => {
    let answers = 0
    const { origin } = await serve(({ headers }, response) => {
      if (!headers.authorization) return challenge(response, challengeWith('n'))
      answers += 1
      return response.writeHead(401).end()
    })
    const send = authFetch(digestOf({ baseUrl: origin, credentials: wrong }))
    const calls = await Promise.allSettled(Array.from({ length: 50 }, () => send(origin)))
    for (const call of calls) {
      expect(call).toMatchObject({ reason: { code: 'ERR_AUTH_LOGIN_REFUSED' } })
    }
    expect(answers).toBe(1)
  })
})

describe('a nonce', () => {
  test.each([
    { uses: 'once', saysStale: true, givesNext: false },
    { uses: 'once', saysStale: false, givesNext: false },
    { uses: 'once', saysStale: true, givesNext: true },
    { uses: 'rising', saysStale: true, givesNext: false },
    { uses: 'rising', saysStale: false, givesNext: true },
  ] as const)('that counts as %j has it serves ten callers without an end', async (given) => {
    const server = await serveStrictly(given)
    const events: AuthEvent[] = []
    const onEvent = (event: AuthEvent): unknown => events.push(event)
    const send = authFetch(digestOf({ baseUrl: server.origin, onEvent }))
    const work = async (): Promise<void> => {
      for (let call = 1; call <= 20; call += 1) {
        expect((await send(server.origin)).status).toBe(200)
      }
    }
    await Promise.all(Array.from({ length: 10 }, work))
    expect(events).toEqual([])
    // Each call needs one challenge at most.
    expect(server.arrived.length).toBeLessThanOrEqual(400)
  })

  test('that counts once, and is given to two callers, refuses neither', async () => {
    let isUsed = false
    const events: AuthEvent[] = []
    const { origin } = await serve(({ headers: { authorization }, path }, response) => {
      const nonce = parameterOf(authorization, 'nonce')
      if (path === '/') response.end()
      else if (nonce === 'own' || (nonce === 'same' && !isUsed)) {
        isUsed = true
        response.end()
      } else challenge(response, challengeWith(authorization ? 'own' : 'same'))
    })
    const onEvent = (event: AuthEvent): unknown => events.push(event)
    const send = authFetch(digestOf({ baseUrl: origin, onEvent }), { baseUrl: origin })
    await send('/')
    const all = await Promise.all([send('/a'), send('/b')])
    expect(all.map(({ status }) => status)).toEqual([200, 200])
    expect(events).toEqual([])
  })

  test('that comes again with another opaque value is answered with that one', async () => {
    const { origin } = await serve(({ headers: { authorization }, path }, response) => {
      const opaque = path.split('/', 2).join('')
      if (parameterOf(authorization, 'opaque') === opaque) response.end()
      else challenge(response, challengeWith('n', `, opaque="${opaque}"`))
    })
    const send = authFetch(digestOf({ baseUrl: origin }), { baseUrl: origin })
    for (const path of ['/a/1', '/b/1', '/a/2', '/b/2']) {
      expect((await send(path)).status).toBe(200)
    }
  })
})

test.each([{ 'www-authenticate': 'Bearer error="invalid_token"' }, {}])(
  'a 401 with %j refuses no credentials that were right',
  async (headers) => {
    const server = await serveStrictly(rules, ({ path }, response) => {
      const isOther = path.startsWith('/api/')
      if (isOther) response.writeHead(401, headers).end()
      return isOther
    })
    const auth = digestOf({ baseUrl: server.origin })
    const send = authFetch(auth, { baseUrl: server.origin })
    expect((await send('/status')).status).toBe(200)
    const all = await Promise.all(['/api/1', '/api/2', '/api/3'].map((path) => send(path)))
    expect(all.map(({ status }) => status)).toEqual([401, 401, 401])
    expect((await send('/api/4')).status).toBe(401)
    expect((await send('/status')).status).toBe(200)
    expect(auth.inspect()).toEqual({ state: 'valid' })
    // One challenge, and no call was sent twice.
    expect(server.arrived).toHaveLength(7)
  },
)

test('callers who gave up while they waited ask for no credentials', async () => {
  let calls = 0
  const credentials = (): typeof reader => {
    calls += 1
    return reader
  }
  const controller = new AbortController()
  let respond = (): void => {}
  const server = await serve(({ headers }, response) => {
    if (!headers.authorization) return challenge(response, challengeWith('n'))
    respond = () => response.writeHead(503).end()
    return undefined
  })
  const auth = digestOf({ baseUrl: server.origin, credentials })
  const send = authFetch(auth)
  const first = send(server.origin)
  const { signal } = controller
  const others = Array.from({ length: 50 }, () => send(server.origin, { signal }).catch(() => {}))
  await expect.poll(() => server.arrived.length).toBe(2)
  controller.abort()
  await Promise.all(others)
  respond()
  expect((await first).status).toBe(503)
  // It comes after all who were woken.
  const next = requestOf({ url: new URL(server.origin) })
  expect(await auth.authorize(next)).toMatchObject({ scheme: 'digest' })
  expect(calls).toBe(1)
  expect(server.arrived).toHaveLength(2)
})

test('a caller who gave up while its credentials were asked for keeps nobody waiting', async () => {
  const server = await serveStrictly(rules)
  const controller = new AbortController()
  let calls = 0
  const credentials = async (): Promise<typeof reader> => {
    calls += 1
    if (calls > 1) return reader
    controller.abort()
    return new Promise(() => {})
  }
  const challengeTimeoutMs = 600_000
  const send = authFetch(digestOf({ baseUrl: server.origin, credentials, challengeTimeoutMs }))
  const { signal } = controller
  const first = send(server.origin, { signal }).catch(() => 'aborted')
  const others = await Promise.all(Array.from({ length: 20 }, () => send(server.origin)))
  expect(await first).toBe('aborted')
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  expect(calls).toBe(2)
})

test('a signal of many calls is let go of after each', async () => {
  const { signal } = new AbortController()
  const auth = digestOf()
  const first = await auth.authorize(requestOf({ signal }))
  const head = headOf(401, { 'www-authenticate': challengeWith('n') })
  const reason = (await first.review?.(head)) ?? ''
  await auth.authorize(requestOf({ signal, attempt: 2, reason, previous: head }))
  // Of the answer that is under way.
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  const other = digestOf()
  const abandoned = await other.authorize(requestOf({ signal }))
  abandoned.abandon?.()
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
})

test('a stream in an open folder is sent without an answer, until one was accepted', async () => {
  const server = await serveStrictly({ ...rules, uses: 'once' }, ({ path }, response) => {
    if (path === '/health') response.end()
    return path === '/health'
  })
  const send = authFetch(digestOf({ baseUrl: server.origin }), { baseUrl: server.origin })
  const upload = async (): Promise<Response> =>
    send('/up', {
      method: 'PUT',
      body: new Blob(['a body']).stream(),
      duplex: 'half',
    } as RequestInit)
  expect((await send('/health')).status).toBe(200)
  const body = 'ERR_AUTH_BODY'
  for (let call = 1; call <= 2; call += 1) {
    const error = await failureOf(upload())
    expect(error).toMatchObject({ code: body, status: 401 })
    expect(error.message).toContain('send one without a body first, or buffer it')
  }
  expect((await send('/up')).status).toBe(200)
  // Its nonce counted once.
  const stale = await failureOf(upload())
  expect(stale).toMatchObject({ code: body, message: expect.stringContaining('call again') })
  expect((await upload()).status).toBe(200)
})

test('what is under way as the user changes makes no user of before the current one', async () => {
  let release = (): void => {}
  const users: (string | undefined)[] = []
  const { origin } = await serve(({ headers: { authorization }, path }, response) => {
    if (!authorization) return challenge(response, challengeWith('n'))
    users.push(parameterOf(authorization, 'username'))
    if (path !== '/slow') return response.end()
    release = () => response.end()
  })
  let username = 'alice'
  const auth = digestOf({ baseUrl: origin, credentials: () => ({ ...reader, username }) })
  const send = authFetch(auth, { baseUrl: origin })
  const slow = send('/slow')
  await expect.poll(() => users).toEqual(['alice'])
  username = 'bob'
  auth.invalidate()
  release()
  expect((await slow).status).toBe(200)
  await send('/a')
  await Promise.all([send('/b'), send('/c')])
  expect(users.slice(1)).toEqual(['bob', 'bob', 'bob'])
})
