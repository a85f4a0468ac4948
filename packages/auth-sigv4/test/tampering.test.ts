import { once } from 'node:events'
import { connect } from 'node:net'
import {
  createEmulator,
  defaultApiKeys,
  type Emulator,
  type ListeningEmulator,
} from '@svc/emulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSigV4Auth, type SigV4Auth } from '../src/index.ts'

interface Case {
  readonly method: string
  readonly target: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const cases: readonly Case[] = [
  { method: 'GET', target: '/V1/plain.txt' },
  { method: 'GET', target: "/V1/a b+c/ü😀/it's%FF//k~?b=2&a=1&a=0&x=%2520&empty&=v" },
  {
    method: 'PUT',
    target: '/V1/k?acl',
    headers: { 'content-type': 'text/plain', 'x-amz-meta-text': 'a  "b   c" é' },
    body: 'The body, ü 😀.',
  },
  { method: 'POST', target: '/V1/', headers: { range: 'bytes=0-9' }, body: '{"a":1}' },
]

const at = Date.UTC(2015, 7, 30, 12, 36)
let emulator: Emulator
let server: ListeningEmulator
let auth: SigV4Auth

beforeAll(async () => {
  const apiKey = { ...defaultApiKeys[0], sessionToken: 'SESSION+TOKEN/==' }
  emulator = createEmulator({ apiKeys: [apiKey], clock: () => at })
  server = await emulator.listen()
  auth = createSigV4Auth({
    baseUrl: server.url,
    region: 'us-east-1',
    credentials: apiKey,
    clock: () => at,
  })
})
afterAll(() => server.close())

describe.each(cases)('$method $target', (given) => {
  test('is accepted as it was signed, and refused with any byte changed', async () => {
    const parts = await signedParts(given)
    expect(await exchange(parts)).toMatch(/^HTTP\/1\.1 (?:200|404) /)
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ scheme: 'sigv4', ok: true })

    // Every byte, by each of these bits in turn; 0x20 would change no more than a letter's case.
    const changes = [0x01, 0x02, 0x04, 0x10].flatMap((bit, turn) =>
      parts.flatMap(({ text, isSigned }, part) =>
        isSigned
          ? Array.from(text, (_, index) => ({ part, index, bit })).filter(
              ({ index }) => turn === 0 || index % 3 === turn - 1,
            )
          : [],
      ),
    )
    emulator.reset()
    const accepted: unknown[] = []
    for (let start = 0; start < changes.length; start += 64) {
      await Promise.all(
        changes.slice(start, start + 64).map(async ({ part, index, bit }) => {
          const changed = parts.map((each, n) =>
            n === part ? { ...each, text: flip(each.text, index, bit) } : each,
          )
          const answer = await exchange(changed)
          if (!/^HTTP\/1\.1 [45]\d\d /.test(answer)) accepted.push({ answer, changed })
        }),
      )
    }
    expect(accepted).toEqual([])
    expect(emulator.requests.filter((request) => request.auth.ok)).toEqual([])
    expect(changes.length).toBeGreaterThan(500)
  })
})

interface Part {
  /** In Latin-1: a character is a byte. */
  readonly text: string
  readonly isSigned: boolean
}

/** The request as it goes over the wire, in pieces of which some are signed. */
async function signedParts({ method, target, headers = {}, body = '' }: Case): Promise<Part[]> {
  const bytes = new TextEncoder().encode(body)
  const init = { method, headers, ...(body !== '' && { body: bytes }) }
  const signed = await auth.explain(server.url.origin + target, init)
  const { host, pathname, search } = signed.url
  const isSigned = (text: string): Part => ({ text, isSigned: true })
  const free = (text: string): Part => ({ text, isSigned: false })
  const parts = [
    ...[isSigned(method), free(' '), isSigned(pathname + search), free(' HTTP/1.1\r\nhost: ')],
    ...[isSigned(host), free(`\r\nconnection: close\r\ncontent-length: ${bytes.length}\r\n`)],
  ]
  for (const [name, value] of signed.headers) {
    parts.push(isSigned(name), free(': '), isSigned(value), free('\r\n'))
  }
  return [...parts, free('\r\n'), isSigned(Buffer.from(bytes).toString('latin1'))]
}

function flip(text: string, index: number, bit: number): string {
  const changed = String.fromCharCode(text.charCodeAt(index) ^ bit)
  return text.slice(0, index) + changed + text.slice(index + 1)
}

/** Sends the very bytes, and gives the status line that comes back. */
async function exchange(parts: readonly Part[]): Promise<string> {
  const socket = connect(Number(server.url.port), '127.0.0.1')
  try {
    socket.write(parts.map(({ text }) => text).join(''), 'latin1')
    socket.setTimeout(5000, () => socket.destroy())
    const [answer] = await once(socket, 'data')
    return String(answer).split('\r\n', 1)[0] ?? ''
  } finally {
    socket.destroy()
  }
}
