import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { runCommandLine, startService } from '../support/run-command-line.ts'

/** Starts a proxy that tunnels, and keeps where to. */
async function startTunnels() {
  const tunnels: string[] = []
  const server = createServer((_request, response) => response.writeHead(500).end())
  server.on('connect', ({ url = '' }, client) => {
    tunnels.push(url)
    const { hostname, port } = new URL(`http://${url}`)
    const service = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      service.pipe(client).pipe(service)
    })
    for (const socket of [service, client]) socket.on('error', () => service.destroy())
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { tunnels, proxy: { HTTP_PROXY: url.origin, HTTPS_PROXY: url.origin } }
}

test.each(['127.0.0.1', 'localhost'])(
  'no proxy stands between this machine and itself, as %s',
  async (host) => {
    const { env, url } = await startService()
    const { tunnels, proxy } = await startTunnels()
    const base = { SVC_AUTH_BASE_URL: `http://${host}:${url.port}` }
    const outcome = await runCommandLine(['fetch', '/user/groups'], {
      env: { ...env, ...base, ...proxy },
    })
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(tunnels).toEqual([])
  },
)

test('a flag sends requests to this machine by the proxy, and http needs one more', async () => {
  const { env, url } = await startService()
  const { tunnels, proxy } = await startTunnels()
  const argv = ['fetch', '/user/groups', '--proxy-loopback']
  const refused = await runCommandLine(argv, { env: { ...env, ...proxy } })
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  expect(refused.stderr).toContain('is not https')
  expect(tunnels).toEqual([])
  const allowed = await runCommandLine([...argv, '--allow-insecure-http'], {
    env: { ...env, ...proxy },
  })
  expect(allowed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(new Set(tunnels)).toEqual(new Set([url.host]))
})
