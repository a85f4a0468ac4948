import { authFetch, authorizeRequest } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import { expect, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { streamFrom, type StreamingInit } from '../support/streams.ts'

test('the scheme sees the request as it is sent', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  await authFetch(scheme)(`${server.origin}/a b?c`, {
    method: 'post',
    headers: { 'X-Own': ' 1 ' },
    body: new URLSearchParams('a=b'),
  })

  const [seen] = scheme.seen
  const [arrived] = server.arrived
  expect(seen).toMatchObject({ method: 'POST', attempt: 1, reason: 'initial' })
  expect(seen?.url.href).toBe(`${server.origin}/a%20b?c`)
  for (const [name, value] of seen?.headers ?? []) expect(arrived?.headers[name]).toBe(value)
  expect(seen?.headers.get('Content-Type')).toMatch(/^application\/x-www-form-urlencoded/)
  expect(seen?.headers.has('x-OWN')).toBe(true)
  expect(Buffer.from((await seen?.body?.bytes()) ?? [])).toEqual(arrived?.body)
  expect(seen?.body?.size).toBe(3)
})

test('a host of the caller is seen by nobody, since the URL has one', async () => {
  const records: unknown[] = []
  const scheme = recordingScheme(['https://a.example'])
  const send = authFetch(scheme, {
    fetch: async (_input, init) => {
      records.push(init?.headers)
      return new Response()
    },
  })
  await send('https://a.example', { headers: { Host: 'b.example', 'x-own': '1' } })

  expect(scheme.seen[0]?.headers.has('host')).toBe(false)
  expect(records).toEqual([{ 'x-own': '1', 'x-test-credential': 'credential-of-the-test-1' }])
})

test('null removes a header, and a URL of the scheme is sent as it stands', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin], () => ({
    headers: [['X-Own', null]],
    url: `${server.origin}/a%2Bb?d=&c=`,
  }))
  await authFetch(scheme)(`${server.origin}/a+b?c&d`, { headers: { 'x-own': '1', 'x-b': '2' } })

  const [arrived] = server.arrived
  expect(arrived?.path).toBe('/a%2Bb?d=&c=')
  expect(arrived?.headers).toMatchObject({ 'x-b': '2' })
  expect(arrived?.headers).not.toHaveProperty('x-own')
})

test('a body of the scheme is sent in place of the one of the request', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin], ({ body }) => ({
    body: {
      replayable: true,
      bytes: () => new Uint8Array(),
      async *chunks() {
        yield new TextEncoder().encode('[')
        if (body) yield* body.chunks()
        yield new TextEncoder().encode(']')
      },
    },
  }))
  await authFetch(scheme)(server.origin, { method: 'PUT', body: new Blob(['x']) })
  await authFetch(scheme)(new Request(server.origin, { method: 'PUT', body: 'y' }))
  await authFetch(scheme, { maxReplayBytes: 0 })(
    new Request(server.origin, { method: 'PUT', body: 'z' }),
  )

  expect(server.arrived.map(({ body }) => body.toString())).toEqual(['[x]', '[y]', '[z]'])
})

const elsewhere = (origin: string) => recordingScheme([origin], () => ({ url: `${origin}/moved` }))

test('what a Request says survives a URL that changes', async () => {
  const controller = new AbortController()
  const inits: RequestInit[] = []
  const scheme = elsewhere('https://a.example')
  const send = authFetch(scheme, {
    rebuildRequests: true,
    fetch: async (input, init) => {
      expect((input as Request).url).toBe('https://a.example/moved')
      inits.push(init ?? {})
      return new Response()
    },
  })
  const request = new Request('https://a.example', {
    method: 'PUT',
    body: 'kept',
    headers: { 'x-own': '1' },
    credentials: 'omit',
    cache: 'no-store',
    mode: 'same-origin',
    referrerPolicy: 'same-origin',
    keepalive: true,
    signal: controller.signal,
  })
  await send(request)

  const [init] = inits
  expect(init).toMatchObject({
    method: 'PUT',
    credentials: 'omit',
    cache: 'no-store',
    mode: 'same-origin',
    referrerPolicy: 'same-origin',
    keepalive: true,
    redirect: 'manual',
  })
  expect(new Headers(init?.headers).get('x-own')).toBe('1')
  expect(await new Response(init?.body ?? null).text()).toBe('kept')
  controller.abort()
  expect(init?.signal?.aborted).toBe(true)
})

test('the body of a Request with a new URL keeps its length', async () => {
  const server = await serve()
  const request = new Request(server.origin, { method: 'PUT', body: 'kept' })
  await authFetch(elsewhere(server.origin), { rebuildRequests: true })(request)
  expect(server.arrived).toMatchObject([{ path: '/moved', headers: { 'content-length': '4' } }])
})

test('a Request whose body is larger than maxReplayBytes is a stream, sent with its length', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const send = authFetch(scheme, { maxReplayBytes: 3 })
  await send(new Request(server.origin, { method: 'PUT', body: '1234' }))
  await send(new Request(server.origin, { method: 'PUT', body: '123' }))

  expect(scheme.seen[0]?.body).toMatchObject({ replayable: false })
  await expect(scheme.seen[0]?.body?.bytes()).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
  expect(scheme.seen[1]?.body).toMatchObject({ replayable: true, size: 3 })
  expect(server.arrived.map(({ body }) => body.toString())).toEqual(['1234', '123'])
  expect(server.arrived[0]?.headers['content-length']).toBe('4')
})

test('a Request too large to keep gets another URL as the stream that it is', async () => {
  const server = await serve()
  const send = authFetch(elsewhere(server.origin), { maxReplayBytes: 3, rebuildRequests: true })
  await send(new Request(server.origin, { method: 'PUT', body: '1234' }))
  expect(server.arrived.map(({ body }) => body.toString())).toEqual(['1234'])
})

test('authorizeRequest gives a Request that is sent as it is, and leaves its input usable', async () => {
  const server = await serve()
  const scheme = recordingScheme([server.origin])
  const input = new Request(`${server.origin}/a`, { method: 'PUT', body: 'text' })
  const request = await authorizeRequest(scheme, input)
  const fromUrl = await authorizeRequest(scheme, `${server.origin}/b`, {
    method: 'POST',
    body: streamFrom(Uint8Array.of(65)),
  })

  expect(request.redirect).toBe('manual')
  expect(input.bodyUsed).toBe(false)
  expect(input.headers.has('x-test-credential')).toBe(false)
  await fetch(request)
  await fetch(fromUrl)
  expect(server.arrived).toMatchObject([
    { path: '/a', headers: { 'x-test-credential': 'credential-of-the-test-1' } },
    { path: '/b', headers: { 'x-test-credential': 'credential-of-the-test-2' } },
  ])
  expect(server.arrived.map(({ body }) => body.toString())).toEqual(['text', 'A'])
  expect(await input.text()).toBe('text')
})

test('authorizeRequest refuses what is not covered', async () => {
  const authorized = authorizeRequest(recordingScheme([]), 'https://a.example')
  await expect(authorized).rejects.toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
})

/** A stream that says when its reader has had enough of it. */
function cancellable(): { stream: ReadableStream<Uint8Array>; cancelled: Promise<void> } {
  let onCancel = (): void => {}
  const cancelled = new Promise<void>((resolve) => {
    onCancel = resolve
  })
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)),
    cancel: onCancel,
  })
  return { stream, cancelled }
}

test('authorizeRequest ends a stream whose request cannot be made', async () => {
  const { stream, cancelled } = cancellable()
  const authorized = authorizeRequest(recordingScheme(['https://a.example']), 'https://a.example', {
    method: 'PUT',
    body: stream,
    headers: { 'content-length': '1' },
    // Without `duplex` no Request is made of a stream, and with this one none at all.
    mode: 'navigate',
    duplex: 'half',
  } as StreamingInit)
  await expect(authorized).rejects.toThrow(TypeError)
  await cancelled
})

test('authorizeRequest leaves a Request to its caller, who can end its stream', async () => {
  const failing: AuthScheme = {
    ...recordingScheme(['https://a.example']),
    authorize: () => Promise.reject(new Error('no login')),
  }
  for (const scheme of [recordingScheme([]), failing]) {
    const { stream, cancelled } = cancellable()
    const init: StreamingInit = { method: 'PUT', body: stream, duplex: 'half' }
    const request = new Request('https://a.example', init)
    await expect(authorizeRequest(scheme, request)).rejects.toThrow(Error)
    expect(request.bodyUsed).toBe(false)
    await request.body?.cancel()
    await cancelled
  }
})
