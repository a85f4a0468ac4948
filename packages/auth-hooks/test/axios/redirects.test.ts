import { AuthError } from '@svc/auth-hooks'
import type { AxiosError } from 'axios'
import { describe, expect, test } from 'vitest'
import { credential, recordingScheme } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'
import { clients, failure } from './clients.ts'

describe.each(clients)('redirects with %s', (_name, client) => {
  async function servers(status: number, location: (own: string, other: string) => string) {
    const other = await serve((_request, response) => response.end('other'))
    const own = await serve((request, response) => {
      if (request.path !== '/start') response.end('own')
      else redirectTo(response, status, location(own.origin, other.origin))
    })
    const scheme = recordingScheme([own.origin])
    return { own, other, scheme, start: `${own.origin}/start` }
  }

  test.each([
    [302, 'GET', ''],
    [307, 'POST', 'body'],
  ])('a %i is authorized anew and goes on as %s', async (status, method, body) => {
    const { own, scheme, start } = await servers(status, () => '/end?x=1')
    const response = await client.create(scheme).post(start, 'body', { params: {} })
    expect(response.data).toBe('own')
    expect(own.arrived[1]).toMatchObject({ method, path: '/end?x=1' })
    expect(own.arrived[1]?.body.toString()).toBe(body)
    expect(own.arrived[1]?.headers['x-test-credential']).toBe(`${credential}-2`)
    expect(scheme.seen[1]).toMatchObject({ reason: 'redirect', method })
    // Where axios says which address responded.
    const address = response.request.res?.responseUrl ?? response.request.url
    expect(address).toBe(`${own.origin}/end?x=1`)
  })

  test('to another origin goes without any credential where that is asked for', async () => {
    const { other, scheme, start } = await servers(302, (_own, foreign) => foreign)
    const api = client.create(scheme, { redirect: 'follow', sensitiveHeaders: ['x-own-secret'] })
    const { data } = await api.get(start, {
      headers: { 'x-own': '1', 'x-own-secret': 'secret', 'x-amz-own': 'secret' },
      auth: { username: 'u', password: 'secret' },
    })
    expect(data).toBe('other')
    expect(other.arrived[0]?.headers['x-own']).toBe('1')
    expect(JSON.stringify(other.arrived)).not.toMatch(/secret|credential|authorization/)
  })

  test('maxRedirects of 0 asks for the redirect itself', async () => {
    const { own, scheme, start } = await servers(302, () => '/end')
    const api = client.create(scheme)
    const error = (await failure(api.get(start, { maxRedirects: 0 }))) as AxiosError
    expect(error).toMatchObject({ code: 'ERR_BAD_RESPONSE', status: 302 })
    expect(error.response?.headers['location']).toBe('/end')
    expect(own.arrived).toHaveLength(1)
  })

  test.each([
    ['manual', { isAxiosError: true, status: 302 }],
    ['error', { code: 'ERR_AUTH_REDIRECT' }],
  ])('fetchOptions may ask for %s', async (redirect, expected) => {
    const { own, scheme, start } = await servers(302, () => '/end')
    const error = await failure(client.create(scheme).get(start, { fetchOptions: { redirect } }))
    expect(error).toMatchObject(expected)
    expect(own.arrived).toHaveLength(1)
  })

  test('maxRedirects of the caller is a limit', async () => {
    const server = await serve((_request, response) => redirectTo(response, 302, '/again'))
    const api = client.create(recordingScheme([server.origin]))
    const error = await failure(api.get(server.origin, { maxRedirects: 2 }))
    expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_REDIRECT')
    expect(server.arrived).toHaveLength(3)
  })

  test.each([Number.NaN, 'abc', {}, -1])('maxRedirects of %o is refused by name', async (limit) => {
    const { own, scheme, start } = await servers(302, () => '/end')
    // What a caller without types may give.
    const config: object = { maxRedirects: limit }
    const error = await failure(client.create(scheme).get(start, config))
    expect(error).toMatchObject({
      name: 'TypeError',
      message: expect.stringContaining('maxRedirects'),
    })
    expect(own.arrived).toHaveLength(0)
  })

  test.each([undefined, null, Infinity, '1', 1.5])('maxRedirects may be %o', async (limit) => {
    const { scheme, start } = await servers(302, () => '/end')
    const config: object = { maxRedirects: limit }
    expect((await client.create(scheme).get(start, config)).data).toBe('own')
  })

  test('beforeRedirect sees them, may change headers and may refuse', async () => {
    const { own, scheme, start } = await servers(302, () => '/end')
    const api = client.create(scheme)
    await api.get(start, {
      beforeRedirect(options, { statusCode, headers }, { url }) {
        expect([statusCode, headers['location'], url]).toEqual([302, '/end', start])
        expect(JSON.stringify(options)).not.toContain(credential)
        options['headers']['x-before'] = options['href']
      },
    })
    expect(own.arrived[1]?.headers['x-before']).toBe(`${own.origin}/end`)
    expect(scheme.seen[1]?.headers.get('x-before')).toBe(`${own.origin}/end`)

    const refuse = (): never => {
      throw new Error('not there')
    }
    const refused = await failure(api.get(start, { beforeRedirect: refuse }))
    expect(refused.message).toBe('not there')
    expect(own.arrived).toHaveLength(3)
  })

  test('sensitiveHeaders of the caller stay with their origin', async () => {
    const second = await serve((_request, response) => response.end('second'))
    const first = await serve((_request, response) => redirectTo(response, 302, second.origin))
    const scheme = recordingScheme([first.origin, second.origin])
    await client.create(scheme).get(first.origin, {
      headers: { 'X-Secret': 'secret', 'x-own': '1' },
      sensitiveHeaders: ['x-secret'],
    })
    expect(first.arrived[0]?.headers['x-secret']).toBe('secret')
    expect(second.arrived[0]?.headers['x-own']).toBe('1')
    expect(second.arrived[0]?.headers).not.toHaveProperty('x-secret')
  })
})
