import { once } from 'node:events'
import { connect } from 'node:net'
import { createSigV4Auth, type SigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import {
  createEmulator,
  defaultApiKeys,
  type Emulator,
  type ListeningEmulator,
} from '@svc/emulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atNight } from '../../../../tests/support/nightly.ts'

interface Case {
  readonly method: string
  readonly target: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly signedIn?: 'url'
}

const cases: readonly Case[] = [
  { method: 'GET', target: '/V1/plain.txt' },
  { method: 'GET', target: "/V1/a b+c/ü😀/it's%FF//k~?b=2&a=1&a=0&x=%2520&empty&=v" },
  {
    method: 'PUT',
    target: '/V1/k?x',
    headers: { 'content-type': 'text/plain', 'x-amz-meta-text': 'a  "b   c" é' },
    body: 'The body, ü 😀.',
  },
  { method: 'POST', target: '/V1/', headers: { range: 'bytes=0-9' }, body: '{"a":1}' },
  { method: 'GET', target: '/V1/a b+c?b=2&a=1&a=0&response-content-type=a/b', signedIn: 'url' },
  { method: 'PUT', target: '/V1/k', headers: { 'x-amz-meta-text': 'a  b é' }, signedIn: 'url' },
]

// All but 0x20, which would change no more than the case of a name's letter.
const bits = atNight([0x01, 0x02, 0x04, 0x08, 0x10, 0x40, 0x80], [0x01])
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

    const changes = bits.flatMap((bit) =>
      parts.flatMap(({ text, isSigned }, part) =>
        isSigned ? Array.from(text, (_, index) => ({ part, index, bit })) : [],
      ),
    )
    emulator.reset()
    const accepted: unknown[] = []
    for (let start = 0; start < changes.length; start += 64) {
      await Promise.all(
        changes.slice(start, start + 64).map(async ({ part, index, bit }) => {
          const changed = replaced(parts, part, flip(parts[part]?.text ?? '', index, bit))
          const response = await exchange(changed)
          if (!/^HTTP\/1\.1 [45]\d\d /.test(response)) accepted.push({ response, changed })
        }),
      )
    }
    expect(accepted).toEqual([])
    expect(emulator.requests.filter((request) => request.auth.ok)).toEqual([])
    expect(changes.length).toBeGreaterThan(bits.length * 300)
  })

  test('is refused with another method', async () => {
    const parts = await signedParts(given)
    for (const method of ['GET', 'PUT', 'POST', 'HEAD', 'DELETE'].filter(
      (m) => m !== given.method,
    )) {
      expect(await exchange(replaced(parts, 0, method))).toMatch(/^HTTP\/1\.1 403 /)
    }
  })
})

interface Part {
  /** In Latin-1: a character is a byte. */
  readonly text: string
  readonly isSigned: boolean
}

/** The request as it goes over the wire, in pieces of which some are signed. */
async function signedParts(given: Case): Promise<Part[]> {
  const { method, body = '' } = given
  const bytes = new TextEncoder().encode(body)
  const signed = await sign(given, server.url.origin + given.target, bytes)
  const { host, pathname, search } = signed.url
  const isSigned = (text: string): Part => ({ text, isSigned: true })
  const free = (text: string): Part => ({ text, isSigned: false })
  const parts = [
    isSigned(method),
    free(' '),
    isSigned(pathname + search),
    free(' HTTP/1.1\r\nhost: '),
    isSigned(host),
    free(`\r\nconnection: close\r\ncontent-length: ${bytes.length}\r\n`),
  ]
  for (const [name, value] of signed.headers) {
    parts.push(isSigned(name), free(': '), isSigned(value), free('\r\n'))
  }
  return [...parts, free('\r\n'), isSigned(Buffer.from(bytes).toString('latin1'))]
}

async function sign(
  { method, headers = {}, signedIn }: Case,
  url: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<{ url: URL; headers: Headers }> {
  if (signedIn === 'url') {
    return { url: await presign(auth, url, { method, headers }), headers: new Headers(headers) }
  }
  return explain(auth, url, { method, headers, ...(body.length > 0 && { body }) })
}

function replaced(parts: readonly Part[], index: number, text: string): Part[] {
  return parts.with(index, { text, isSigned: true })
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
    const [response] = await once(socket, 'data')
    return String(response).split('\r\n', 1)[0] ?? ''
  } finally {
    socket.destroy()
  }
}
