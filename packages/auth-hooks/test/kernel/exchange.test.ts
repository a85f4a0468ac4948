import { authFetch } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { adapters } from '../support/adapters.ts'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

const origin = 'https://a.example'
const never = new Promise<never>(() => {})
const fault = new Error('of the test')

function throws(): never {
  throw fault
}

/** A body that is pulled when it is read, and no sooner, with a promise of its end. */
function watchedBody() {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        stream.close()
        end()
      },
    },
    { highWaterMark: 0 },
  )
  return { body, ended }
}

describe('a response that the caller does not get is read away, and nothing abandoned:', () => {
  test.each<[name: string, review: (caller: AbortController) => Promise<undefined>]>([
    ['its review throws', throws],
    ['its review rejects', () => Promise.reject(fault)],
    ['its review is aborted', (caller) => (caller.abort(fault), never)],
  ])('%s', async (_name, review) => {
    const caller = new AbortController()
    const { body, ended } = watchedBody()
    let abandoned = 0
    const scheme = recordingScheme([origin], () => ({
      review: () => review(caller),
      abandon: () => void (abandoned += 1),
    }))
    const send = authFetch(scheme, { fetch: async () => new Response(body) })
    await expect(send(origin, { signal: caller.signal })).rejects.toBe(fault)
    await ended
    expect(abandoned).toBe(0)
  })

  test('the scheme throws about the target of its redirect', async () => {
    const { body, ended } = watchedBody()
    let abandoned = 0
    const scheme = recordingScheme([origin], () => ({ abandon: () => void (abandoned += 1) }))
    const covers = ({ pathname }: URL): boolean => (pathname === '/there' ? throws() : true)
    const init = { status: 302, headers: { location: '/there' } }
    const send = authFetch({ ...scheme, covers }, { fetch: async () => new Response(body, init) })
    await expect(send(origin)).rejects.toBe(fault)
    await ended
    expect(abandoned).toBe(0)
  })
})

test.each<[name: string, fetch: (caller: AbortController) => Promise<Response>]>([
  ['throws', throws],
  ['rejects', () => Promise.reject(fault)],
  ['is aborted', (caller) => (caller.abort(fault), never)],
])('an authorization is abandoned once when the inner fetch %s', async (_name, fetch) => {
  const caller = new AbortController()
  let abandoned = 0
  const scheme = recordingScheme([origin], () => ({
    review: () => throws(),
    abandon: () => void (abandoned += 1),
  }))
  const send = authFetch(scheme, { fetch: () => fetch(caller) })
  await expect(send(origin, { signal: caller.signal })).rejects.toBe(fault)
  expect(abandoned).toBe(1)
})

describe.each<[name: string, authorize: (caller: AbortController) => Promise<never>]>([
  ['throws', throws],
  ['rejects', () => Promise.reject(fault)],
  ['is aborted', (caller) => (caller.abort(fault), never)],
])('an authorization that %s', (_name, authorize) => {
  test.each([1, 2])('for attempt %i sends nothing, and abandons nothing', async (failing) => {
    const caller = new AbortController()
    let abandoned = 0
    let sent = 0
    const scheme = recordingScheme([origin], () => ({
      review: rejects401,
      abandon: () => void (abandoned += 1),
    }))
    const failingScheme: AuthScheme = {
      ...scheme,
      authorize: (request) =>
        request.attempt === failing ? authorize(caller) : scheme.authorize(request),
    }
    const fetch = async (): Promise<Response> => {
      sent += 1
      return new Response(null, { status: 401 })
    }
    const send = authFetch(failingScheme, { fetch })
    await expect(send(origin, { signal: caller.signal })).rejects.toBe(fault)
    expect([sent, abandoned]).toEqual([failing - 1, 0])
  })
})

// It sends nothing, so that there is no response.
const sending = adapters.filter(([name]) => name !== 'authorizeRequest')

test.each(sending)('%s shows a scheme the response to the attempt before', async (_, connect) => {
  const server = await serve(({ count }, response) => {
    const challenge = { 'www-authenticate': 'Digest nonce="of the test"' }
    response.writeHead(count === 1 ? 401 : 200, count === 1 ? challenge : {}).end()
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  expect(await connect(scheme)(`${server.origin}/V1/a`, { method: 'PUT', body: 'text' })).toBe(200)
  const seen = scheme.seen.map(({ previous }) => [
    previous?.status,
    previous?.headers.get('WWW-Authenticate'),
  ])
  expect(seen).toEqual([
    [undefined, undefined],
    [401, 'Digest nonce="of the test"'],
  ])
})

test.each(sending.filter(([name]) => !/kyAuthHooks|authInterceptor|a Request|light/.test(name)))(
  '%s shows a scheme the redirect that led to a request',
  async (_, connect) => {
    const server = await serve(({ count }, response) => {
      response.writeHead(count === 1 ? 307 : 200, { location: '/V1/b' }).end()
    })
    const scheme = recordingScheme([server.origin])
    expect(await connect(scheme)(`${server.origin}/V1/a`)).toBe(200)
    const seen = scheme.seen.map(({ reason, previous }) => [reason, previous?.status])
    expect(seen).toEqual([
      ['initial', undefined],
      ['redirect', 307],
    ])
  },
)
