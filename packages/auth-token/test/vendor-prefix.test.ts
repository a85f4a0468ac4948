import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authFetch } from '@svc/auth-token'
import { expect, onTestFinished, test } from 'vitest'
import { service } from './support/service.ts'

test.each(['acme', 'svc'])(
  'a header of the caller’s own with the prefix %s stays behind where a redirect leads outside',
  async (vendorPrefix) => {
    const outside = await listen()
    const { auth, groups, emulator } = await service({ vendorPrefix }, { vendorPrefix })
    emulator.fault({ path: '/user/groups', redirect: { to: outside.url, status: 307 } })
    const fetch = authFetch(auth, { redirect: 'follow' })
    const headers = { [`x-${vendorPrefix}-tenant`]: 'own', 'x-trace': 'kept' }
    expect(await (await fetch(groups, { headers })).text()).toBe('outside')

    const sent = emulator.requests.at(-1)?.headers
    expect(sent).toMatchObject(headers)
    expect(sent?.[`x-${vendorPrefix}-security-token`]).toMatch(/^eyJ/)
    const [arrived = {}] = outside.arrived
    expect(arrived).toMatchObject({ 'x-trace': 'kept' })
    expect(Object.keys(arrived).filter((name) => name.startsWith('x-'))).toEqual(['x-trace'])
  },
)

/** A server of somebody else, with the headers that arrived there. */
async function listen(): Promise<{ url: string; arrived: IncomingHttpHeaders[] }> {
  const arrived: IncomingHttpHeaders[] = []
  const server = createServer(({ headers }, response) => {
    arrived.push(headers)
    response.end('outside')
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, arrived }
}
