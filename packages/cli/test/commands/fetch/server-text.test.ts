import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../support/run-command-line.ts'

/** Starts a server that responds with these bytes, whatever it is asked. */
async function startBytes(response: string | Buffer) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.end(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    SVC_AUTH_BASE_URL: `http://127.0.0.1:${Object(server.address()).port}`,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    SVC_AUTH_SECRET_ACCESS_KEY: 'a-secret-access-key',
  }
}

/** Everything that a terminal may act on, but for a line feed and a tabulator. */
// oxlint-disable-next-line no-control-regex -- it is what the test is about
const acting = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u

const evil = '\u001B]0;title\u0007\u001B[2J\u009B31m\u202Etxt'
const bytes = (text: string): Buffer => Buffer.from(text)

test.each([[[]], [['-i']], [['-I']], [['-v']], [['-f']], [['-o', '/dev/null']]])(
  'no text of a server acts on a terminal: %j',
  async (flags) => {
    const reason = evil.replaceAll('\u001B', '').replaceAll('\u0007', '')
    for (const status of [200, 302, 404]) {
      const env = await startBytes(
        bytes(
          `HTTP/1.1 ${status} ${reason}\r\nx-one: ${reason}\r\nlocation: /${reason}\r\n` +
            `content-type: text/plain\r\nconnection: close\r\n\r\n${evil}\n`,
        ),
      )
      const { stdout, stderr } = await runCommandLine(['fetch', ...flags, '/V1/a'], {
        env,
        isTerminal: true,
      })
      expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(acting)
      expect(stderr).not.toMatch(acting)
    }
  },
)

test.each([`{"\u009B31m":["\u202Etxt\u007F"]}`, `{"a":"${evil}"}`])(
  'no JSON of a server acts on a terminal: %j',
  async (body) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close'
    const env = await startBytes(bytes(`${head}\r\n\r\n${body}`))
    const { stdout } = await runCommandLine(['fetch', '/V1/a'], { env, isTerminal: true })
    expect(stdout).toContain('txt')
    expect(stdout).not.toMatch(acting)
  },
)

test('text that is no JSON is readable on a terminal, and comes as it is to --output -', async () => {
  const text = 'grün\tund\r\nblau \u001B[31mrot\n'
  const response = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}`
  const env = await startBytes(bytes(response))
  const shown = await runCommandLine(['fetch', '/V1/a'], { env, isTerminal: true })
  expect(shown.stdout).toBe('grün\tund\r\nblau \\u{1b}[31mrot\n')
  const raw = await runCommandLine(['fetch', '-o', '-', '/V1/a'], { env, isTerminal: true })
  expect(raw.stdout).toBe(text)
  expect((await runCommandLine(['fetch', '/V1/a'], { env })).stdout).toBe(text)
})

test.each([
  ['UTF-8', bytes('né 你好')],
  ['ISO 8859-1', Buffer.from('né', 'latin1')],
])('text of a header in %s is shown as it was meant', async (encoding, value) => {
  const head = (text: string): Buffer => Buffer.from(text, 'latin1')
  const env = await startBytes(
    Buffer.concat([
      head('HTTP/1.1 200 OK\r\nx-amz-meta-name: '),
      value,
      head('\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    ]),
  )
  const wanted = encoding === 'UTF-8' ? 'x-amz-meta-name: né 你好' : 'x-amz-meta-name: né'
  const included = await runCommandLine(['fetch', '-i', '/V1/a'], { env })
  expect(included.stdout).toContain(`${wanted}\r\n`)
  const verbose = await runCommandLine(['fetch', '-v', '/V1/a'], { env })
  expect(verbose.stderr).toContain(`< ${wanted}\n`)
})

test('--verbose shows no secret of a URL in any header', async () => {
  const url =
    'https://reader:hunter2@elsewhere.example/a?X-Amz-Credential=hunter2&X-Amz-Signature=hunter2&page=2'
  const env = await startBytes(
    bytes(
      `HTTP/1.1 302 Found\r\nlocation: ${url}#access_token=hunter2\r\n` +
        `link: <${url}>; rel="next", </b?token=hunter2>; rel="prev"\r\n` +
        `content-location: ?X%2DAmz%2DSecurity%2DToken=hunter2;hunter2,hunter2\r\n` +
        `refresh: 0; url=/c?password=hunter2\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    ),
  )
  const { stderr } = await runCommandLine(['fetch', '-v', '/V1/a'], { env })
  expect(stderr).not.toContain('hunter2')
  expect(stderr).toContain(
    '< location: https://[redacted]@elsewhere.example/a?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]&page=2#access_token=[redacted]\n',
  )
  expect(stderr).toContain('</b?token=[redacted]>; rel="prev"')
})
