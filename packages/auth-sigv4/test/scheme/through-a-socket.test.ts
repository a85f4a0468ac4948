import { atNight } from '../../../../tests/support/nightly.ts'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { createEmulator, defaultApiKeys, type RecordedRequest } from '@svc/emulator'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalPath, canonicalQuery } from '../testing.ts'
import { awkwardBody, awkwardHeaderValue, awkwardPath, awkwardQuery } from '../peers/awkward.ts'
import { engines } from '../support/signing.ts'

const batch = 50

const request = (methods: readonly string[]) =>
  fc.record({
    method: fc.constantFrom(...methods),
    path: awkwardPath.filter((path) => !path.startsWith('/user')),
    query: awkwardQuery,
    headers: fc.dictionary(
      fc.constantFrom('x-amz-meta-a', 'x-amz-meta-a-b', 'if-match', 'content-type', 'x-unsigned'),
      awkwardHeaderValue,
      { maxKeys: 3 },
    ),
    body: awkwardBody,
  })

// Sent all at once. A batch that fails is made smaller for a while, not for minutes.
const batchesOf = (methods: readonly string[]) =>
  fc.limitShrink(fc.array(request(methods), { minLength: batch, maxLength: batch }), 200)

const emulator = createEmulator()
let base = ''
let close = (): Promise<void> => Promise.resolve()

beforeAll(async () => {
  const server = await emulator.listen()
  base = server.url.origin
  close = () => server.close()
})
afterAll(() => close())

// 4 × 2 600 requests.
describe.each([
  ['native', ['GET', 'HEAD', 'DELETE']],
  ['native', ['PUT', 'POST', 'PATCH']],
  ['webcrypto', ['GET', 'PUT', 'PROPFIND', 'MKCOL']],
  ['aws4', ['GET', 'PUT', 'POST']],
] as const)('signed by the %s engine, any %j', (name, methods) => {
  test('is accepted, and arrives byte for byte', { timeout: 120_000 }, async () => {
    const auth = createSigV4Auth({
      baseUrl: base,
      region: 'us-east-1',
      credentials: defaultApiKeys[0],
      engine: engines.find((engine) => engine.name === name),
    })
    const fetch = authFetch(auth)
    const batches = batchesOf(methods)
    await fc.assert(
      fc.asyncProperty(batches, async (requests) => {
        emulator.reset()
        await Promise.all(
          requests.map(async ({ method, path, query, headers, body }, index) => {
            const takesBody = method !== 'GET' && method !== 'HEAD'
            const response = await fetch(base + path + query, {
              method,
              headers: { ...headers, 'x-amz-meta-index': String(index) },
              ...(takesBody && body !== undefined && { body }),
            })
            await response.arrayBuffer()
          }),
        )
        expect(emulator.requests).toHaveLength(requests.length)
        for (const arrived of emulator.requests) {
          const sent = requests[Number(arrived.headers['x-amz-meta-index'])]
          expect({ sent, auth: arrived.auth }).toMatchObject({ auth: { ok: true } })
          if (sent) expectWhatWasSent(arrived, sent)
        }
      }),
      { numRuns: atNight(2600, 200) / batch, seed: 20_130_524 },
    )
  })
})

test('any presigned URL is accepted from whoever has it', { timeout: 120_000 }, async () => {
  const auth = createSigV4Auth({
    baseUrl: base,
    region: 'us-east-1',
    credentials: defaultApiKeys[0],
  })
  const batches = batchesOf(['GET', 'PUT', 'DELETE'])
  await fc.assert(
    fc.asyncProperty(batches, async (requests) => {
      emulator.reset()
      await Promise.all(
        requests.map(async ({ method, path, query, headers, body }, index) => {
          const sent = { ...headers, 'x-amz-meta-index': String(index) }
          // Without one, fetch would add the type of a text, of which the URL knows nothing.
          const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
          const url = await presign(auth, base + path + query, { method, headers: sent })
          const response = await fetch(url, {
            method,
            headers: sent,
            ...(method !== 'GET' && bytes && { body: bytes }),
          })
          await response.arrayBuffer()
        }),
      )
      expect(emulator.requests).toHaveLength(requests.length)
      for (const { auth: verified, headers, target } of emulator.requests) {
        const sent = requests[Number(headers['x-amz-meta-index'])]
        expect({ sent, target, auth: verified }).toMatchObject({ auth: { ok: true } })
      }
    }),
    { numRuns: atNight(1000, 200) / batch, seed: 20_130_524 },
  )
})

describe('the canonical form', () => {
  test.each(['s3', 'double'] as const)('of any path is its own canonical form: %s', (encoding) => {
    fc.assert(
      fc.property(awkwardPath, (path) => {
        const { origin, pathname } = new URL(`https://h${path}`)
        const { sent } = canonicalPath({ origin, pathname }, encoding)
        expect(canonicalPath({ origin, pathname: sent }, encoding).sent).toBe(sent)
        expect(new URL(`https://h${sent}`).pathname).toBe(sent)
        expect(bytesOf(sent)).toBe(bytesOf(pathname))
        expect(sent).toMatch(/^(?:[\w\-.~/]|%[\da-f]{2})*$/i)
        if (encoding === 's3') return
        // Elsewhere an escape stands for itself, in the case it has, and only what lies between is encoded.
        const pieces = pathname.split(/(%[\da-f]{2})/i)
        expect(sent).toBe(pieces.map((piece, n) => (n % 2 ? piece : strictly(piece))).join(''))
      }),
      { numRuns: atNight(2000, 500), seed: 20_130_524 },
    )
  })

  test.each(['by-value', 'wire-order'] as const)('of any query too: %s', (repeated) => {
    fc.assert(
      fc.property(awkwardQuery, (query) => {
        const once = canonicalQuery(new URL(`https://h/${query}`).search, repeated)
        expect(canonicalQuery(`?${once.sent}`, repeated)).toEqual(once)
        expect(canonicalQuery(`?${once.canonical}`, repeated).canonical).toBe(once.canonical)
      }),
      { numRuns: atNight(2000, 500), seed: 20_130_524 },
    )
  })

  test('of a request that was signed is what is signed the next time', async () => {
    const auth = createSigV4Auth({
      baseUrl: 'https://h',
      region: 'us-east-1',
      credentials: defaultApiKeys[0],
      clock: () => 0,
    })
    await fc.assert(
      fc.asyncProperty(awkwardPath, awkwardQuery, async (path, query) => {
        const first = await explain(auth, `https://h${path}${query}`)
        const second = await explain(auth, first.url)
        expect(second.canonicalRequest).toBe(first.canonicalRequest)
        expect(second.url.href).toBe(first.url.href)
      }),
      { numRuns: atNight(1000, 300), seed: 20_130_524 },
    )
  })
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | undefined
}

function expectWhatWasSent(arrived: RecordedRequest, sent: Sent): void {
  const { pathname, search } = new URL(`http://h${sent.path}${sent.query}`)
  const [path = '', query = ''] = arrived.target.split('?')
  expect(arrived.method).toBe(sent.method)
  expect(bytesOf(path)).toEqual(bytesOf(pathname))
  expect(parametersOf(query)).toEqual(parametersOf(search.slice(1)))
  for (const [name, value] of new Headers(sent.headers)) {
    expect(arrived.headers[name]).toBe(value)
  }
  const takesBody = sent.method !== 'GET' && sent.method !== 'HEAD'
  const body = takesBody ? (sent.body ?? '') : ''
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  expect(Buffer.from(arrived.body).equals(bytes)).toBe(true)
}

/** A path as whoever decodes it reads it, in Latin-1. */
function bytesOf(path: string): string {
  return path.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** A path without escapes as it has to be sent. */
function strictly(path: string): string {
  return path.replaceAll(
    /[^\w\-.~/]/g,
    (character) => `%${Buffer.from(character).toString('hex').toUpperCase()}`,
  )
}

/** The values of each parameter in the order in which they came. */
function parametersOf(query: string): Record<string, string[]> {
  const byName = new Map<string, string[]>()
  for (const piece of query.split('&')) {
    if (piece === '') continue
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/.exec(piece) ?? []
    const key = `name ${bytesOf(name.replaceAll('+', ' '))}`
    byName.set(key, [...(byName.get(key) ?? []), bytesOf(value.replaceAll('+', ' '))])
  }
  return Object.fromEntries(byName)
}
