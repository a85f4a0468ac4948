import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import createClient, { type Middleware } from 'openapi-fetch'
import { Agent } from 'undici7'
import { expect, onTestFinished, test } from 'vitest'
import { findText } from '../../../../tests/support/find-text.ts'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'

interface Json<Body> {
  content: { 'application/json': Body }
}

interface Paths {
  '/objects/{id}': {
    get: {
      parameters: { path: { id: string }; query?: { fields?: string[]; limit?: number } }
      responses: { 200: Json<{ path: string }>; 404: Json<{ reason: string }> }
    }
    post: {
      parameters: { path: { id: string } }
      requestBody: Json<{ name: string }>
      responses: { 200: Json<{ name: string }> }
    }
    put: {
      parameters: { path: { id: string } }
      requestBody: { content: { 'multipart/form-data': { name: string } } }
      responses: { 200: Json<{ length: number }> }
    }
  }
}

const params = { path: { id: 'a b/c' } }

test('a GET is authorized with its path and its query', async () => {
  const server = await serve(({ path }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ path }))
  })
  const scheme = recordingScheme([server.origin])
  const client = createClient<Paths>({ baseUrl: server.origin, ...authOpenApi(scheme) })
  const query = { fields: ['name', 'size'], limit: 2 }

  const { data, error } = await client.GET('/objects/{id}', { params: { ...params, query } })
  expect(error).toBeUndefined()
  expect(data?.path).toBe('/objects/a%20b%2Fc?fields=name&fields=size&limit=2')
  expect(scheme.seen[0]?.url.href).toBe(server.origin + data?.path)
  expect(server.arrived[0]?.headers['x-test-credential']).toBe(`${credential}-1`)
})

test('a refused POST is sent once more with its body', async () => {
  const server = await serve(({ count, body }, response) => {
    response.writeHead(count === 1 ? 401 : 200, { 'content-type': 'application/json' })
    response.end(body)
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  const client = createClient<Paths>({ baseUrl: server.origin, ...authOpenApi(scheme) })

  const { data, response } = await client.POST('/objects/{id}', { params, body: { name: 'x' } })
  expect([response.status, data]).toEqual([200, { name: 'x' }])
  const seen = server.arrived.map(({ body, headers }) => [
    body.toString(),
    headers['content-type'],
    headers['content-length'],
  ])
  const once = ['{"name":"x"}', 'application/json', '12']
  expect(seen).toEqual([once, once])
  expect(Buffer.from(await scheme.seen[0]!.body!.bytes()).toString()).toBe('{"name":"x"}')
})

test('a form of a body serializer keeps its boundary, and is sent once more', async () => {
  const server = await serve(({ count }, response) => {
    response.writeHead(count === 1 ? 401 : 200, { 'content-type': 'application/json' }).end('{}')
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  const client = createClient<Paths>({ baseUrl: server.origin, ...authOpenApi(scheme) })

  await client.PUT('/objects/{id}', {
    params,
    body: { name: 'x' },
    bodySerializer(body) {
      const form = new FormData()
      form.set('name', body.name)
      form.set('file', new Blob(['content']), 'file.txt')
      return form
    },
  })
  const [first, second] = server.arrived
  expect(second?.body).toEqual(first?.body)
  const type = `${second?.headers['content-type']}`
  expect(scheme.seen[0]?.headers.get('content-type')).toBe(type)
  const headers = { 'content-type': type }
  const form = await new Response(new Uint8Array(second!.body), { headers }).formData()
  expect(form.get('name')).toBe('x')
})

test('what middlewares change is what is authorized, and they see no credential', async () => {
  const server = await serve(({ headers }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ path: headers['x-trace'] }))
  })
  const scheme = recordingScheme([server.origin])
  const client = createClient<Paths>({ baseUrl: server.origin, ...authOpenApi(scheme) })
  const given: unknown[] = []
  const setting: Middleware = {
    onRequest({ request }) {
      request.headers.set('x-trace', '1')
    },
    onResponse: (state) => void given.push(state),
  }
  const replacing: Middleware = {
    onRequest({ request }) {
      given.push(request)
      return new Request(`${request.url}?changed`, request)
    },
  }
  client.use(setting, replacing)

  const { data } = await client.GET('/objects/{id}', { params: { path: { id: '1' } } })
  expect(data?.path).toBe('1')
  expect(scheme.seen[0]?.headers.get('x-trace')).toBe('1')
  expect(scheme.seen[0]?.url.search).toBe('?changed')
  expect(given).toHaveLength(2)
  expect(findText(given, credential)).toEqual([])
})

test('an error of the service is a result, and an AuthError is thrown; neither shows a credential', async () => {
  const server = await serve(({ path }, response) => {
    if (path === '/objects/away') {
      redirectTo(response, 307, 'https://b.example/')
      return
    }
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ reason: 'none' }))
  })
  const scheme = recordingScheme([server.origin])
  const client = createClient<Paths>({ baseUrl: server.origin, ...authOpenApi(scheme) })
  const seen: unknown[] = []
  client.use({ onError: ({ error }) => void seen.push(error) })

  const result = await client.GET('/objects/{id}', { params })
  expect(result.error).toEqual({ reason: 'none' })
  expect(findText(result, credential)).toEqual([])

  const away = client.GET('/objects/{id}', { params: { path: { id: 'away' } } })
  const error: unknown = await away.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'AuthError', code: 'ERR_AUTH_REDIRECT' })
  expect(seen).toEqual([error])
  expect(findText(error, credential)).toEqual([])
})

test('a signal, a fetch of the options and further init are handed on', async () => {
  const server = await serve((_request, response) => response.end('{}'))
  const scheme = recordingScheme([server.origin])
  const agent = new Agent()
  onTestFinished(() => agent.close())
  const dispatched: string[] = []
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    dispatched.push(options.path)
    return dispatch(options, handler)
  })
  const client = createClient<Paths>({
    baseUrl: server.origin,
    requestInitExt: { dispatcher },
    ...authOpenApi(scheme, { fetch: (input, init) => fetch(input, init) }),
  })
  await client.GET('/objects/{id}', { params: { path: { id: '1' } } })
  expect(dispatched).toEqual(['/objects/1'])

  const signal = AbortSignal.abort('enough')
  await expect(client.GET('/objects/{id}', { params, signal })).rejects.toBe('enough')
  expect(server.arrived).toHaveLength(1)
})

test('a wrong option is refused at once', () => {
  expect(() => authOpenApi({ name: 'x' } as never)).toThrow('scheme must be an AuthScheme')
  expect(() => authOpenApi(recordingScheme([]), { maxRedirects: -1 })).toThrow('maxRedirects')
})
