import { Readable } from 'node:stream'
import { createDigestAuth } from '@svc/auth-digest'
import { describe, expect, test } from 'vitest'
import { adapters, causes } from '../../auth-hooks/test/support/adapters.ts'
import { hasReferenceServer, reader, startReference } from './support/reference-server.ts'

/** Returns a stream that can be read once, in the form that a client takes. */
function streamOf(name: string, text: string): unknown {
  const usesNode = /http|got|request of undici/.test(name)
  return usesNode ? Readable.from([text]) : new Blob([text]).stream()
}

/** They send each request once, and tell the scheme nothing of its response. */
const withoutLoop = /authorizeRequest/
/** They hand over a `Request`, whose stream is read first, up to 8 MiB. */
const buffers = /a Request|ky|authOpenApi/i
/** They send a request again once, and tell nothing of the response to that. */
const hooksAlone = /kyAuthHooks/

describe.skipIf(!hasReferenceServer()).each(adapters.filter(([name]) => !withoutLoop.test(name)))(
  '%s',
  (name, connect) => {
    test.each(['auth', 'auth-int'])(
      'answers one challenge with %s, for all of its requests',
      async (qop) => {
        const { origin, served } = await startReference({
          challenges: [{ algorithm: 'SHA-256', qop }],
        })
        const send = connect(createDigestAuth({ baseUrl: origin, credentials: reader }))

        expect(await send(`${origin}/a/b?c=d`)).toBe(200)
        expect(await send(`${origin}/a`, { method: 'PUT', body: 'text' })).toBe(200)
        const statuses = await Promise.all(
          Array.from({ length: 10 }, () => send(`${origin}/a`, { method: 'PUT', body: 'more' })),
        )

        expect(new Set(statuses)).toEqual(new Set([200]))
        const log = await served()
        expect(log.map(({ problem }) => problem)).toEqual([
          'none',
          ...Array.from({ length: 12 }, () => null),
        ])
        expect(log.filter(({ method, body }) => method === 'PUT' && body !== 4)).toEqual([])
      },
    )

    test('answers again with a nonce that is not stale', async () => {
      const { origin, served } = await startReference({
        challenges: [{ algorithm: 'SHA-256', qop: 'auth' }],
        uses: 1,
      })
      const send = connect(createDigestAuth({ baseUrl: origin, credentials: reader }))
      expect(await send(origin)).toBe(200)
      expect(await send(origin, { method: 'PUT', body: 'text' })).toBe(200)
      expect((await served()).map(({ problem }) => problem)).toEqual(['none', null, 'stale', null])
    })

    test('sends a wrong password once', async () => {
      const { origin, served } = await startReference({
        challenges: [{ algorithm: 'SHA-256', qop: 'auth' }],
      })
      const credentials = { ...reader, password: 'wrong' }
      const send = connect(createDigestAuth({ baseUrl: origin, credentials }))
      const outcomes = []
      for (let call = 1; call <= 3; call += 1)
        outcomes.push(await send(origin).catch((error: unknown) => error))
      const codes = outcomes.map((error) =>
        causes(error)
          .map((link) => Reflect.get(link, 'code') as unknown)
          .find(Boolean),
      )
      const attempts = (await served()).filter(({ problem }) => problem === 'response')
      if (hooksAlone.test(name)) {
        expect(outcomes[0]).toBe(401)
        expect(attempts.length).toBeLessThanOrEqual(2)
      } else {
        expect(codes).toEqual(Array.from({ length: 3 }, () => 'ERR_AUTH_LOGIN_REFUSED'))
        expect(attempts).toHaveLength(1)
      }
    })

    test('sends a stream with a nonce that is known, and else nothing', async () => {
      const { origin, served } = await startReference({
        challenges: [{ algorithm: 'SHA-256', qop: 'auth' }],
        uses: 2,
      })
      const send = connect(createDigestAuth({ baseUrl: origin, credentials: reader }))
      const upload = (): Promise<unknown> =>
        send(`${origin}/a`, { method: 'PUT', body: streamOf(name, 'text') }).catch(
          (error: unknown) => error,
        )

      if (name.startsWith('light')) {
        expect(causes(await upload())[0]?.message).toContain(
          'authFetch of @svc/auth-hooks takes more',
        )
        return
      }
      if (buffers.test(name)) {
        expect(await upload()).toBe(200)
        expect((await served()).map(({ body, problem }) => [body, problem])).toEqual([
          [4, 'none'],
          [4, null],
        ])
        return
      }
      expect(messageOf(await upload())).toContain('send a request without a body first')
      expect(await served()).toEqual([])
      expect(await send(origin)).toBe(200)
      expect(await upload()).toBe(200)
      // Its nonce is stale by now.
      expect(messageOf(await upload())).toContain('with a new stream')
      expect(await upload()).toBe(200)
      const uploads = (await served()).filter(({ method }) => method === 'PUT')
      expect(uploads.map(({ problem }) => problem)).toEqual([null, 'stale', null])
    })
  },
)

function messageOf(error: unknown): string {
  const own = causes(error).find((link) => link.name === 'AuthError')
  expect(own).toMatchObject({ code: 'ERR_AUTH_BODY' })
  expect(own?.message).toContain('digest')
  return own?.message ?? ''
}
