import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTlsCertificate } from '../../../../../tests/support/tls-certificate.ts'
import { emptyFolder } from '../../support/folder.ts'
import { commandArguments } from '../../support/run-process.ts'
import { startProgram } from '../../support/start-program.ts'

/** Starts a service that speaks HTTP/2 alone, and returns what was sent. */
async function startHttp2(
  respond: (request: Http2ServerRequest, response: Http2ServerResponse) => void = echo,
) {
  const certificate = await makeTlsCertificate()
  const server = createSecureServer({ ...certificate, allowHTTP1: false }, respond)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The program ends its connections by itself.
  onTestFinished(() => void server.close())
  const authority = join(await emptyFolder(), 'authority.pem')
  writeFileSync(authority, certificate.cert)
  const { port } = server.address() as AddressInfo
  return {
    NODE_EXTRA_CA_CERTS: authority,
    SVC_AUTH_BASE_URL: `https://127.0.0.1:${port}`,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    SVC_AUTH_SECRET_ACCESS_KEY: 'a-secret-access-key',
  }
}

function echo(request: Http2ServerRequest, response: Http2ServerResponse): void {
  let size = 0
  request.on('data', (chunk: Uint8Array) => (size += chunk.byteLength))
  request.on('end', () => {
    const { method, headers } = request
    response.end(JSON.stringify({ method, size, hash: headers['x-amz-content-sha256'] }))
  })
}

/** Runs the command as a process, since only a new one reads which authorities it trusts. */
async function run(argv: readonly string[], env: Readonly<Record<string, string>>, input = '') {
  const command = [process.execPath, ...commandArguments, 'fetch']
  const { child, ended } = await startProgram(['--http2', ...argv], env, command)
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stdin.end(input)
  return { ...(await ended), stdout }
}

test('requests with and without a body are sent', async () => {
  const env = await startHttp2()
  const large = join(await emptyFolder(), 'large')
  writeFileSync(large, 'x'.repeat(3_000_000))
  for (const [argv, method, size] of [
    [['/x'], 'GET', 0],
    [['-d', '', '/x'], 'POST', 0],
    [['-T', '-', '/x'], 'PUT', 5],
    [['-T', large, '/x'], 'PUT', 3_000_000],
  ] as const) {
    const { status, stdout } = await run(argv, env, 'hello')
    expect(status).toBe(0)
    const hash = expect.stringMatching(/^[\da-f]{64}$/)
    expect(JSON.parse(stdout)).toEqual({ method, size, hash })
  }
})

test('a response that is cut off is an error', async () => {
  const env = await startHttp2((_request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('the beginning', () => response.stream.close(8))
  })
  const { status, stderr } = await run(['/x'], env)
  expect(status).toBe(3)
  expect(stderr).toMatch(/^svc-auth: GET \S+\/x: the (?:connection broke|response ended) /)
})
