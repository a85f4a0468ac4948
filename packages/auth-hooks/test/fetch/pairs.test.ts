import { authFetch } from '@svc/auth-hooks'
import type { Authorization } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { type Arrived, serve } from '../support/server.ts'
import { streamFrom, type StreamingInit } from '../support/streams.ts'

const bodies: Record<string, () => StreamingInit> = {
  'no body': () => ({}),
  'a null body': () => ({ body: null }),
  'an empty text': () => ({ body: '' }),
  'a text': () => ({ body: 'text ä' }),
  bytes: () => ({ body: new Uint8Array([1, 254]) }),
  'a Blob': () => ({ body: new Blob(['blob'], { type: 'a/b' }) }),
  parameters: () => ({ body: new URLSearchParams({ a: 'b c' }) }),
  'a form': () => {
    const form = new FormData()
    form.set('field', 'value')
    return { body: form }
  },
  'a stream': () => ({
    body: streamFrom(new Uint8Array([1]), new Uint8Array([2])),
    duplex: 'half',
  }),
}

const inputs: Record<string, (url: string) => string | Request> = {
  'an address': (url) => url,
  'a GET Request': (url) => new Request(url, { headers: { 'x-own': '1' } }),
  ...named(
    bodies,
    (name) => `a PUT Request of ${name}`,
    (init) => (url: string) =>
      new Request(url, { method: 'PUT', headers: { 'x-own': '1' }, ...init() }),
  ),
}

const inits: Record<string, (url: string) => StreamingInit | undefined> = {
  nothing: () => undefined,
  ...named(
    bodies,
    (name) => `POST and ${name}`,
    (init) => () => ({ method: 'POST', ...init() }),
  ),
  ...named(
    bodies,
    (name) => name,
    (init) => init,
  ),
  headers: () => ({ headers: { 'x-init': '2' } }),
  'headers and a body with a type': () => ({
    method: 'PATCH',
    body: '{}',
    headers: [['content-type', 'application/json']],
  }),
  'a Request with a body': (url) => new Request(url, { method: 'POST', body: 'of the init' }),
  'a Request without one': (url) => new Request(url, { method: 'DELETE' }),
}

function named<T, U>(
  cases: Record<string, T>,
  name: (of: string) => string,
  make: (from: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(cases).map(([of, from]) => [name(of), make(from)]))
}

/**
 * The comparable parts of a request that arrived: a form's boundary is another one each time. What
 * plain fetch sends in chunks may have a length here, where it was read.
 */
function comparable({ method, headers, body }: Arrived) {
  const { 'x-test-credential': _credential, ...others } = headers
  const { 'content-length': length, 'transfer-encoding': encoding, ...compared } = others
  const text = body.toString('latin1')
  const boundary = /^--(.+)\r\n/.exec(text)?.[1]
  const type = headers['content-type']?.replace(/boundary=.+/, 'boundary=BOUNDARY')
  return {
    method,
    headers: { ...compared, 'content-type': type },
    body: boundary === undefined ? text : text.replaceAll(boundary, 'BOUNDARY'),
    isWhole: encoding === 'chunked' || Number(length ?? 0) === body.byteLength,
  }
}

const attempt = (sent: Promise<Response>): Promise<string> =>
  sent.then(
    async (response) => {
      await response.text()
      return String(response.status)
    },
    (error: unknown) => (error instanceof TypeError ? 'a TypeError' : String(error)),
  )

/** Sends the same by plain fetch and by ours; what arrived of ours may be more than one request. */
async function sendBoth(
  makeInput: (url: string) => string | Request,
  makeInit: (url: string) => StreamingInit | undefined,
  change: (url: string) => Partial<Authorization> = () => ({}),
) {
  let isOurs = false
  const server = await serve((_, response) => {
    response.statusCode = isOurs && server.arrived.length === plainCount + 1 ? 401 : 200
    response.end()
  })
  const url = `${server.origin}/a?b=c`
  const scheme = recordingScheme([server.origin], () => change(url))
  const plain = await attempt(fetch(makeInput(url), makeInit(url)))
  const plainCount = server.arrived.length
  isOurs = true
  const send = authFetch(scheme, { rebuildRequests: true })
  const ours = await attempt(send(makeInput(url), makeInit(url)))
  const arrived = server.arrived.map(comparable)
  const init = makeInit(url)
  return {
    plain,
    ours,
    expected: arrived.slice(0, plainCount)[0],
    came: arrived.slice(plainCount),
    // A stream of the caller's own is all that cannot be read twice.
    isReplayable: init instanceof Request || !(init?.body instanceof ReadableStream),
  }
}

describe.each(Object.entries(inputs))('%s', (_input, makeInput) => {
  describe.each(Object.entries(inits))('and %s', (_init, makeInit) => {
    test('are sent as by plain fetch, and a second time where the body can be', async () => {
      const sent = await sendBoth(makeInput, makeInit, () => ({ review: rejects401 }))
      const { plain, ours, expected, came, isReplayable } = sent
      const isSent = plain === '200'
      expect(ours).toBe(isSent ? responseTo(isReplayable) : plain)
      expect(came).toEqual(isSent ? Array(isReplayable ? 2 : 1).fill(expected) : [])
    })

    test('are sent to another form of the URL as by plain fetch', async () => {
      const sent = await sendBoth(makeInput, makeInit, (url) => ({ url: `${url}&d=e` }))
      const { plain, ours, expected, came } = sent
      expect(ours).toBe(plain === '200' ? '401' : plain)
      expect(came).toEqual(expected ? [expected] : [])
    })
  })
})

function responseTo(isReplayable: boolean): string {
  return isReplayable ? '200' : '401'
}
