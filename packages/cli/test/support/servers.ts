import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { type EmulatorApiKey, verifySigV4, type VerifyOptions } from '@svc/emulator'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'

/** A request on its way through a proxy. */
export interface PassedOn {
  method: string
  /** Path and query of the request line. */
  target: string
  headers: [name: string, value: string][]
  body: Buffer
}

/** The ways in which a proxy behaves. */
export interface ProxyOptions {
  /** Changes what is passed on. */
  readonly rewrite?: (passed: PassedOn) => void
  /** The headers of its own that a refusal gets, which has no other words. */
  readonly refusal?: Readonly<Record<string, string>>
}

/** Starts a proxy before a service that says nothing but 403, and when, where the service says why it refuses. */
export async function startTerseProxy(upstream: URL, { rewrite, refusal = {} }: ProxyOptions = {}) {
  const server = createServer(async (incoming, outgoing) => {
    const passed: PassedOn = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: pairs(incoming),
      body: await buffer(incoming),
    }
    rewrite?.(passed)
    const { method, target, body } = passed
    const headers = passed.headers.filter(([name]) => name !== 'content-length')
    headers.push(['content-length', String(body.byteLength)])
    const { hostname: host, port } = upstream
    const options = { host, port, method, path: target, setHost: false, headers: headers.flat() }
    send(options, (response) => {
      const { statusCode = 502, headers: given, rawHeaders } = response
      if (statusCode === 400 || statusCode === 403) {
        response.resume()
        outgoing.writeHead(403, { date: given.date ?? '', ...refusal }).end()
        return
      }
      outgoing.writeHead(statusCode, rawHeaders)
      response.pipe(outgoing)
    })
      .on('error', () => outgoing.destroy())
      .end(body)
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { url, baseUrl: url.origin }
}

/** Starts a server that verifies signatures by the rules of any service, and says nothing but 200 or 403. */
export function startVerifier(
  apiKeys: readonly EmulatorApiKey[],
  options: Omit<VerifyOptions, 'apiKeys'>,
) {
  return startTerseServer(async ({ method, target, headers, body }) => {
    const request = { method, target, rawHeaders: headers, body }
    return (await verifySigV4(request, { apiKeys, ...options })).ok
  })
}

/** Starts a server that puts path and query into the canonical request in its own way, as home-made verifiers do. */
export function startHomemadeVerifier(
  secretAccessKey: string,
  canonical: (path: string, query: string) => readonly [path: string, query: string],
) {
  return startTerseServer(async ({ method, target, headers }) => {
    const sent = new Map(headers)
    const read = (name: string): string =>
      new RegExp(`${name}=([^,]+)`).exec(sent.get('authorization') ?? '')?.[1] ?? ''
    const [path = '', query = ''] = target.split('?')
    const signedHeaders = read('SignedHeaders')
    const request = [
      method,
      ...canonical(path, query),
      ...signedHeaders.split(';').map((name) => `${name}:${sent.get(name)}`),
      '',
      signedHeaders,
      sent.get('x-amz-content-sha256') ?? '',
    ].join('\n')
    const scope = read('Credential').split('/').slice(1)
    const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
    const hash = createHash('sha256').update(request).digest('hex')
    const date = sent.get('x-amz-date') ?? ''
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope.join('/')}\n${hash}`
    return hmac(key, toSign).toString('hex') === read('Signature')
  })
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

async function startTerseServer(verify: (passed: PassedOn) => Promise<boolean>) {
  const statuses: number[] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: target = '' } = incoming
    const body = await buffer(incoming)
    const status = (await verify({ method, target, headers: pairs(incoming), body })) ? 200 : 403
    statuses.push(status)
    outgoing.writeHead(status).end()
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { baseUrl: url.origin, statuses }
}

function pairs({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [],
  )
}
