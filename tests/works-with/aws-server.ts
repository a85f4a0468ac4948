import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { defaultApiKeys, verifySigV4, type Verification } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { listenOnLoopback } from '../support/loopback.ts'

/** A server in the place of one service of AWS, which lets in what is signed for it. */
export interface AwsServer {
  /** Sends a request to the server whatever host its URL names, as a proxy that tells it that host. */
  readonly fetch: Fetch
  /** The requests that came, in order. */
  readonly arrived: { readonly url: string; readonly verification: Verification }[]
  close(): Promise<void>
}

/** Starts one that responds to a request with a good signature. The emulator verifies it. */
export async function startAwsServer(
  scope: { readonly service: string; readonly region: string },
  respond: (request: Request) => Response | Promise<Response>,
): Promise<AwsServer> {
  const arrived: AwsServer['arrived'] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: target = '/', headersDistinct } = incoming
    const { 'x-forwarded-host': [host = ''] = [], ...headers } = headersDistinct
    const rawHeaders = Object.entries(headers).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, name === 'host' ? host : value]),
    )
    const body = new Uint8Array(await buffer(incoming))
    const raw = { method, target, rawHeaders, body }
    const verification = await verifySigV4(raw, { apiKeys: defaultApiKeys, ...scope })
    const url = new URL(target, `https://${host}`)
    arrived.push({ url: url.href, verification })
    const response = verification.ok
      ? await respond(new Request(url, { method, ...(body.byteLength > 0 && { body }) }))
      : Response.json({ message: verification.message }, { status: verification.status })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(new Uint8Array(await response.arrayBuffer()))
  })
  const { url: loopback, close } = await listenOnLoopback(server)
  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const { host, pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set('x-forwarded-host', host)
      const body = ['GET', 'HEAD'].includes(request.method) ? null : await request.arrayBuffer()
      const { method, signal } = request
      return fetch(`${loopback.origin}${pathname}${search}`, { method, headers, body, signal })
    },
    arrived,
    close,
  }
}
