import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { Case } from './case.ts'
import type { Answer, Client } from './clients/client.ts'
import { largeUpload } from './count.ts'
import { generateCases, missingPairs } from './generate.ts'
import { runCases } from './run-cases.ts'
import { ByteReader } from './server/byte-reader.ts'
import { startRawServers } from './server/raw-server.ts'
import { readBody, readHead } from './server/read-request.ts'

test('a seed gives the same cases again, and another seed gives others', () => {
  const cases = generateCases(7, 50, () => true)
  expect(generateCases(7, 50, () => true)).toEqual(cases)
  expect(generateCases(8, 50, () => true)).not.toEqual(cases)
})

test('400 cases have every pair of values that a client takes, and nothing that it does not', () => {
  const takes = ({ body, method }: Case): boolean => body === 'none' || method !== 'GET'
  const cases = generateCases(1, 400, takes)
  expect(missingPairs(cases, takes)).toEqual([])
  expect(cases.filter((one) => !takes(one))).toEqual([])
})

test.each([
  ['no framing', 'POST /a HTTP/1.1\r\n\r\n', 'none', true, []],
  ['a length', 'POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc', 'content-length', true, []],
  [
    'a length that is too long',
    'POST /a HTTP/1.1\r\ncontent-length: 4\r\n\r\nabc',
    'content-length',
    false,
    [],
  ],
  [
    'chunks',
    'POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    'chunked',
    true,
    [],
  ],
  [
    'chunks without an end',
    'POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'chunked',
    false,
    ['unfinished'],
  ],
  [
    'a chunk that is too long',
    'POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n',
    'chunked',
    true,
    ['chunk end'],
  ],
  [
    'two framings',
    'POST /a HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'both',
    true,
    [],
  ],
  [
    'two lengths',
    'POST /a HTTP/1.1\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n',
    'content-length',
    true,
    ['a framing header twice'],
  ],
] as const)('the server reads %s as such', async (_name, bytes, framing, isComplete, faults) => {
  const reader = new ByteReader(Readable.from([Buffer.from(bytes)]))
  const head = await readHead(reader, 100)
  if (!head) throw new Error('there is no head')
  expect(await readBody(reader, head, 100)).toMatchObject({ framing, isComplete, faults })
})

test.each([
  'abc',
  'GET /a HTTP/1.0\r\n\r\n',
  'GET /a HTTP/1.1\r\nno header\r\n\r\n',
  ' GET / HTTP/1.1\r\n\r\n',
])('the server takes %j for no request', async (bytes) => {
  const reader = new ByteReader(Readable.from([Buffer.from(bytes)]))
  await expect(readHead(reader, 100)).rejects.toThrow(
    JSON.stringify(bytes.slice(0, 5)).slice(1, -1),
  )
})

const credential = 'x-constant: the-same\r\n'

test.each([
  ['nothing of a client that does the same', credential, 'content-length: 6\r\n', [], []],
  [
    'a missing credential',
    '',
    'content-length: 6\r\n',
    ['PUT /start: 0 credentials', 'GET /probe: 0 credentials'],
    [],
  ],
  [
    'a body without framing',
    credential,
    '',
    [
      'stray bytes: no request: Error: "~body~"',
      'the GET that followed did not get its own response',
    ],
    ['probe', 'stray', 'request 1 framing', 'request 1 body'],
  ],
  ['another framing', credential, 'content-length: 0006\r\n', [], ['request 1 framing']],
])('a comparison finds %s', async (_name, ours, framing, faults, aspects) => {
  const servers = await startRawServers()
  onTestFinished(() => servers.close())
  const one: Case = { ...largeUpload, body: 'text', pace: 'after the body' }
  const [comparison] = await runCases(rawClient(ours, framing), [one], servers, 1)
  expect(comparison?.faults).toEqual(faults)
  const found = comparison?.differences.map(({ aspect }) => aspect)
  expect(found).toEqual(expect.arrayContaining(aspects))
  expect(found?.length === 0).toBe(aspects.length === 0)
})

/** A client that writes its bytes itself over one connection: rightly if it is bare, else with the given headers. */
function rawClient(ours: string, framing: string): Client {
  return {
    name: 'raw',
    adapter: 'raw',
    takes: () => true,
    open(auth) {
      let socket: Socket | undefined
      const given = auth ? [ours, framing] : [credential, 'content-length: 6\r\n']
      return {
        close: () => void socket?.destroy(),
        async send({ url, method, body }) {
          const { hostname, port, pathname, search } = new URL(url)
          socket ??= connect(Number(port), hostname)
          const head = `${method} ${pathname}${search} HTTP/1.1\r\n${given[0]}`
          socket.write(`${head}${body ? `${given[1]}\r\n~body~` : '\r\n'}`)
          return readAnswer(new ByteReader(socket))
        },
      }
    },
  }
}

async function readAnswer(reader: ByteReader): Promise<Answer> {
  const head = String(await reader.until('\r\n\r\n', 1000))
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? []
  if (!status) throw new Error('there is no response')
  const [, length = '0'] = /content-length: (\d+)/.exec(head) ?? []
  const body = await reader.exactly(Number(length), 1000)
  return { status: Number(status), headers: [], body: body.toString() }
}
