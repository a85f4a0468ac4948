import { Readable } from 'node:stream'
import { createDigestAuth, type DigestAuth } from '@svc/auth-digest'
import { afterAll, describe, expect, test } from 'vitest'
import { adapters, causes, type Send } from '../../../auth-hooks/test/support/adapters.ts'
import {
  hasReferenceServer,
  launchReference,
  reader,
  type Reference,
  type ReferenceConfig,
} from '../support/reference-server.ts'

/** Returns a stream that can be read once, in the form that a client takes. */
function streamOf(name: string, text: string): unknown {
  const usesNode = /http|got|request of undici/.test(name)
  return usesNode ? Readable.from([text]) : new Blob([text]).stream()
}

// What is not in the loop of the kernel sends each request once, and hears nothing of its response.
const clients = adapters.filter(([name]) => name !== 'authorizeRequest')
/** They hand over a `Request`, whose stream is read first, up to 8 MiB. */
const buffering = clients.filter(([name]) => /a Request|ky|authOpenApi/i.test(name))
const streaming = clients.filter(
  (each) => !buffering.includes(each) && each[0] !== 'light authFetch',
)

const running = new Map<string, Promise<Reference>>()
afterAll(async () => {
  for (const reference of running.values()) await (await reference).stop()
})

/** Returns a server that the clients share, with what it has served since. */
async function sharedReference(config: ReferenceConfig): Promise<Omit<Reference, 'stop'>> {
  const key = JSON.stringify(config)
  const reference = running.get(key) ?? launchReference(config)
  running.set(key, reference)
  const { origin, served } = await reference
  const { length } = await served()
  return { origin, served: async () => (await served()).slice(length) }
}

const isThere = hasReferenceServer()
const sha256 = { algorithm: 'SHA-256', qop: 'auth' } as const

describe.skipIf(!isThere).each(clients)('%s', (_name, connect) => {
  test.each(['auth', 'auth-int'])('answers one challenge with %s', async (qop) => {
    const { origin, served } = await sharedReference({ challenges: [{ ...sha256, qop }] })
    const send = connect(createDigestAuth({ baseUrl: origin, credentials: reader }))

    expect(await send(`${origin}/a/b?c=d`)).toBe(200)
    expect(await send(`${origin}/a`, { method: 'PUT', body: 'text' })).toBe(200)
    const statuses = await Promise.all(
      Array.from({ length: 10 }, () => send(`${origin}/a`, { method: 'PUT', body: 'more' })),
    )

    expect(new Set(statuses)).toEqual(new Set([200]))
    const log = await served()
    const accepted = Array.from({ length: 12 }, () => null)
    expect(log.map(({ problem }) => problem)).toEqual(['none', ...accepted])
    expect(log.filter(({ method, body }) => method === 'PUT' && body !== 4)).toEqual([])
  })

  test('answers again where its nonce is stale', async () => {
    const { origin, served } = await sharedReference({ challenges: [sha256], uses: 1 })
    const send = connect(createDigestAuth({ baseUrl: origin, credentials: reader }))
    expect(await send(origin)).toBe(200)
    expect(await send(origin, { method: 'PUT', body: 'text' })).toBe(200)
    expect((await served()).map(({ problem }) => problem)).toEqual(['none', null, 'stale', null])
  })
})

/** Sends a wrong password three times. Resolves to the outcomes, and the number of answers that were looked at. */
async function sendWrong(connect: (scheme: DigestAuth) => Send) {
  const { origin, served } = await sharedReference({ challenges: [sha256] })
  const credentials = { ...reader, password: 'wrong' }
  const send = connect(createDigestAuth({ baseUrl: origin, credentials }))
  const outcomes: unknown[] = []
  for (let call = 1; call <= 3; call += 1) {
    outcomes.push(await send(origin).catch((error: unknown) => codeOf(error)))
  }
  const answers = (await served()).filter(({ problem }) => problem === 'response').length
  return { outcomes, answers }
}

test.skipIf(!isThere).each(clients)('%s sends a wrong password once', async (_name, connect) => {
  const refused = 'ERR_AUTH_LOGIN_REFUSED'
  expect(await sendWrong(connect)).toEqual({ outcomes: [refused, refused, refused], answers: 1 })
})

test.skipIf(!isThere).each(streaming)(
  '%s sends a stream with a nonce that is known, and else nothing',
  async (name, connect) => {
    const { origin, served } = await sharedReference({ challenges: [sha256], uses: 2 })
    const send = connect(createDigestAuth({ baseUrl: origin, credentials: reader }))
    const upload = (): Promise<unknown> =>
      send(`${origin}/a`, { method: 'PUT', body: streamOf(name, 'text') })

    await expect(upload().catch(ownMessage)).resolves.toContain('send one without a body first')
    expect(await served()).toEqual([])
    expect(await send(origin)).toBe(200)
    expect(await upload()).toBe(200)
    // Its nonce is stale by now.
    await expect(upload().catch(ownMessage)).resolves.toContain('call again')
    expect(await upload()).toBe(200)
    const uploads = (await served()).filter(({ method }) => method === 'PUT')
    expect(uploads.map(({ problem }) => problem)).toEqual([null, 'stale', null])
  },
)

test.skipIf(!isThere).each(buffering)(
  '%s sends a stream again, which it has read first',
  async (name, connect) => {
    const { origin, served } = await sharedReference({ challenges: [sha256] })
    const send = connect(createDigestAuth({ baseUrl: origin, credentials: reader }))
    expect(await send(origin, { method: 'PUT', body: streamOf(name, 'text') })).toBe(200)
    expect((await served()).map(({ body, problem }) => [body, problem])).toEqual([
      [4, 'none'],
      [4, null],
    ])
  },
)

function codeOf(error: unknown): unknown {
  const own = causes(error).find((link) => link.name === 'AuthError')
  return own && Reflect.get(own, 'code')
}

/** Returns the message of an error of ours about a body, which names the scheme. */
function ownMessage(error: unknown): string {
  const own = causes(error).find((link) => link.name === 'AuthError')
  expect(own).toMatchObject({ code: 'ERR_AUTH_BODY', message: expect.stringContaining('digest') })
  return own?.message ?? ''
}
