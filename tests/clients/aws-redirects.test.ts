import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authFetch } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { anonymous, createRouteAuthSelector } from '@svc/route-auth-selector'
import type { AuthScheme } from '@svc/types'
import axios from 'axios'
import got from 'got'
import { describe, expect, onTestFinished, test } from 'vitest'

const credentials = { accessKeyId: 'AKIDREADER', secretAccessKey: 'not-a-secret' }

/** Starts a server that redirects `/to/…` to the address behind, and returns its origin and what it was asked. */
async function startServer() {
  const asked: { readonly path: string; readonly isSigned: boolean }[] = []
  const server = createServer(({ url: path = '', headers }, response) => {
    asked.push({ path, isSigned: headers.authorization !== undefined })
    const [, location] = /^\/to\/(.+)/.exec(path) ?? []
    if (location) response.writeHead(307, { location: decodeURIComponent(location) })
    response.end('text')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on a port.
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const clients: Readonly<Record<string, (auth: AuthScheme, url: string) => Promise<unknown>>> = {
  fetch: (auth, url) => authFetch(auth)(url),
  axios: (auth, url) => axios.get(url, authAxios(auth)),
  got: (auth, url) =>
    got
      .extend(authGot(auth))
      .get(url, { retry: { limit: 0 } })
      .text(),
}

describe.each(Object.keys(clients))('with %s', (name) => {
  const setUp = async () => {
    const [own, other] = [await startServer(), await startServer()]
    const origins = [own.origin, other.origin]
    const service = { service: 'execute-api', region: 'eu-west-1' }
    const services = Object.fromEntries(origins.map((origin) => [origin, service]))
    const auth = createAwsAuth({ credentials, origins, services })
    const selector = createRouteAuthSelector({
      origins,
      routes: [{ path: '/open', use: anonymous() }],
      otherwise: auth,
    })
    const send = async (scheme: AuthScheme, url: string): Promise<unknown> =>
      clients[name]?.(scheme, url)
    return { own, other, auth, selector, send }
  }

  test('a redirect on the host is signed, of one scheme and through a selector', async () => {
    const { own, auth, selector, send } = await setUp()
    for (const scheme of [auth, selector]) {
      await send(scheme, `${own.origin}/to/%2Fb`)
      const both = [
        { path: '/to/%2Fb', isSigned: true },
        { path: '/b', isSigned: true },
      ]
      expect(own.asked.splice(0)).toEqual(both)
    }
  })

  test('a redirect to another host is refused, although that is covered as well', async () => {
    const { own, other, auth, selector, send } = await setUp()
    for (const scheme of [auth, selector]) {
      const url = `${own.origin}/to/${encodeURIComponent(`${other.origin}/b`)}`
      const failure = await send(scheme, url).catch((error: unknown) => error)
      const { code, cause } = Object(failure) as { code?: unknown; cause?: { code?: unknown } }
      expect([code, cause?.code]).toContain('ERR_AUTH_REDIRECT')
      expect(other.asked).toEqual([])
    }
  })
})

test('a selector that chooses AWS explains and presigns as AWS does', async () => {
  const clock = (): number => 0
  const auth = createAwsAuth({ credentials, clock })
  const url = 'https://bucket.s3.eu-west-1.amazonaws.com/key'
  const { origin } = new URL(url)
  const selector = createRouteAuthSelector({ origins: [origin], routes: [], otherwise: auth })
  expect(await explain(selector, url)).toEqual(await explain(auth, url))
  expect(await presign(selector, url)).toEqual(await presign(auth, url))
})
