import type http from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { answerPage, type Answer } from './answer-page.ts'
import { signInFailed } from './errors.ts'
import { loadNode } from './node-module.ts'

/** The one callback that is of this sign-in. */
export interface Callback {
  readonly parameters: URLSearchParams
  /** Sends the answer page, which the browser waits for. */
  answer(answer: Answer): Promise<void>
}

export interface CallbackServer {
  /** The address that the browser comes back to. */
  readonly redirectUri: string
  /** Resolves once it has come back. */
  readonly callback: Promise<Callback>
  /** Returns why whatever came to that address was refused; empty if nothing came. */
  refusals(): readonly string[]
  close(): void
}

type NodeHttp = typeof http

const addresses = ['127.0.0.1', '::1'] as const
const mostTries = 10
/** The time that a browser has to send a request, and to read the answer. */
const requestMs = 10_000
/** A browser sends the cookies of all programs that had a port of this host. */
const mostHeaderBytes = 65_536
/** Where a machine has no such address. */
const absent = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTSUP']

/**
 * Waits on both addresses of this machine for the browser to come back. Whatever else arrives is refused, and ends nothing:
 * other programs and sites can reach this port, too.
 *
 * @param redirect - The address, whose port is a free one if it has none.
 * @param state - That of the sign-in.
 * @throws AuthError `ERR_AUTH_SIGN_IN_FAILED` if the port is taken.
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export async function openCallbackServer(redirect: URL, state: string): Promise<CallbackServer> {
  const node = loadNode('http', 'loopback()')
  const isV6 = redirect.hostname === '[::1]'
  const [own, other] = isV6 ? (['::1', '127.0.0.1'] as const) : addresses
  for (let tries = 1; ; tries += 1) {
    const taking = createTaker(state)
    const servers: Server[] = []
    const close = (): void => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections?.()
      }
    }
    try {
      const port = await listen(node, taking.handle, own, Number(redirect.port), servers)
      const at = new URL(redirect)
      at.port = `${port}`
      taking.expect(at)
      await listen(node, taking.handle, other, port, servers).catch((error: unknown) => {
        const { code } = Object(error) as { readonly code?: unknown }
        // A name that stands for both must not lead to another program.
        if (!absent.some((one) => one === code)) throw error
      })
      const { callback, refusals } = taking
      return { redirectUri: at.href, callback, refusals, close }
    } catch (cause) {
      close()
      const isFree = redirect.port === ''
      const { code } = Object(cause) as { readonly code?: unknown }
      if (isFree && code === 'EADDRINUSE' && tries < mostTries) continue
      throw portTaken(redirect, code, cause)
    }
  }
}

function portTaken({ port, host }: URL, code: unknown, cause: unknown): Error {
  const what = typeof code === 'string' ? code : 'an error'
  const remedy =
    port === ''
      ? 'use deviceCode()'
      : 'end the program that has it, or give redirectUri without a port'
  return signInFailed(`the port for the browser at ${host} cannot be had (${what}): ${remedy}`, {
    cause,
  })
}

function listen(
  { createServer }: NodeHttp,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  host: string,
  port: number,
  servers: Server[],
): Promise<number> {
  const limits = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    keepAliveTimeout: 1,
    maxHeaderSize: mostHeaderBytes,
  }
  const server = createServer(limits, handle)
  servers.push(server)
  return new Promise((resolve, reject) => {
    // One that comes later, such as too many open files, must not end the process.
    server.on('error', reject)
    server.listen({ host, port, exclusive: true, ipv6Only: host === '::1' }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** Takes the first callback with the state, and refuses everything else. */
function createTaker(state: string) {
  let expected: URL | undefined
  let isTaken = false
  const reasons = new Set<string>()
  let take: (callback: Callback) => void = () => {}
  const callback = new Promise<Callback>((resolve) => (take = resolve))

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = '', headers } = request
    request.resume()
    const refuseFor = (status: number, reason: string): void => {
      reasons.add(reason)
      refuse(response, status)
    }
    // A name of another site that leads to this address is no host of ours.
    if (!expected || headers.host !== expected.host) return refuse(response, 421)
    const target = URL.canParse(url, expected.origin) && new URL(url, expected.origin)
    if (!target || target.pathname !== expected.pathname) return refuse(response, 404)
    if (method !== 'GET') return refuseFor(405, 'it is no GET')
    // A browser says where a request of a page comes from: only one that the user sees is the callback.
    const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': kind = 'document' } = headers
    if (mode !== 'navigate' || kind !== 'document') {
      return refuseFor(403, 'it is no page that the user sees: open the address in a browser')
    }
    const states = target.searchParams.getAll('state')
    if (states.length !== 1 || states[0] !== state) {
      return refuseFor(400, 'it is not of this sign-in')
    }
    if (isTaken) return refuse(response, 409)
    isTaken = true
    const answer: Callback['answer'] = (given) =>
      new Promise((resolve) => {
        const page = answerPage(given)
        // A browser that is gone reads nothing.
        response.once('close', resolve)
        response.writeHead(200, page.headers).end(page.body)
      })
    take({ parameters: target.searchParams, answer })
  }
  return {
    handle,
    callback,
    refusals: () => [...reasons],
    expect: (at: URL) => void (expected = at),
  }
}

const refusals: Readonly<Record<number, string>> = {
  400: 'This is not the sign-in that was begun here. Begin again in the program.',
  403: 'There is nothing here for a script or a frame. Open this address in a browser.',
  409: 'This sign-in is over.',
}

function refuse(response: ServerResponse, status: number): void {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }
  response.writeHead(status, headers).end(refusals[status] ?? 'There is nothing here.')
}
