import { createHash } from 'node:crypto'
import { authFetch, kyAuthHooks } from '@svc/auth-hooks'
import ky from 'ky'
import ky1 from 'ky1'
import { describe, expect, test } from 'vitest'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'

const text = 'the last response'

function hash(algorithm: string, of = text): string {
  return `${algorithm}-${createHash(algorithm).update(of).digest('base64')}`
}

/** A server that redirects, refuses and then responds. */
async function service() {
  const server = await serve(({ path, headers }, response) => {
    if (path === '/redirect') redirectTo(response, 302, '/end')
    else if (headers['x-test-credential'] === 'credential-of-the-test-1') {
      response.writeHead(401).end('refused')
    } else response.end(text)
  })
  const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
  return { server, scheme, send: authFetch(scheme), url: server.origin }
}

const right: [name: string, integrity: string][] = [
  ['sha256', hash('sha256')],
  ['sha384', hash('sha384')],
  ['sha512', hash('sha512')],
  ['two hashes, one of which is right', `${hash('sha256', 'other')} ${hash('sha256')}`],
  ['a weaker hash that is wrong', `${hash('sha256', 'other')} ${hash('sha512')}`],
  ['an option', `${hash('sha256')}?ct=text/plain`],
  ['base64url', hash('sha384').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
  ['a hash that nobody knows', 'md5-1B2M2Y8AsgTpgAmY7PhCfg=='],
  ['blanks', ' \n'],
]

describe('the integrity of a request is that of its last response', () => {
  test.each(right)('%s, after a refusal', async (_name, integrity) => {
    const { server, send, url } = await service()
    expect(await (await send(url, { integrity })).text()).toBe(text)
    expect(server.arrived).toHaveLength(2)
  })

  test.each(right)('%s, after a redirect', async (_name, integrity) => {
    const { server, send, url } = await service()
    const response = await send(`${url}/redirect`, { integrity })
    expect([await response.text(), response.redirected]).toEqual([text, true])
    expect(server.arrived.map(({ path }) => path)).toEqual(['/redirect', '/end'])
  })

  test.each(right)('%s, of a Request', async (_name, integrity) => {
    const { server, send, url } = await service()
    expect(await (await send(new Request(url, { integrity }))).text()).toBe(text)
    expect(server.arrived).toHaveLength(2)
  })

  test.each([
    ['another text', hash('sha256', 'other')],
    ['a weaker hash that is right', `${hash('sha256')} ${hash('sha512', 'other')}`],
    ['no hash at all', 'sha256-'],
  ])('%s is an error, as with fetch', async (_name, integrity) => {
    const { send, url } = await service()
    const plain = await fetch(url, { integrity }).then(
      () => 'fulfilled',
      () => 'rejected',
    )
    const ours = await send(url, { integrity }).then(
      () => 'fulfilled',
      (error: unknown) => error,
    )
    expect(plain).toBe(ours instanceof TypeError ? 'rejected' : ours)
  })
})

describe.each([
  ['ky 2', ky],
  ['ky 1', ky1 as unknown as typeof ky],
])('the hooks of %s', (_name, client) => {
  test('hold it against the last response alone', async () => {
    const { server, scheme, url } = await service()
    const api = client.extend({ hooks: kyAuthHooks(scheme), retry: 0 })
    expect(await api.get(url, { integrity: hash('sha256') }).text()).toBe(text)
    expect(server.arrived).toHaveLength(2)
  })

  test('reject another one', async () => {
    const { scheme, url } = await service()
    const api = client.extend({ hooks: kyAuthHooks(scheme), retry: 0 })
    await expect(api.get(url, { integrity: hash('sha256', 'other') }).text()).rejects.toThrow(
      /does not match the integrity/,
    )
  })
})
