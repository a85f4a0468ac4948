import type { IncomingMessage } from 'node:http'
import type { RawRequestHead } from '@svc/emulator/verify'
import { denied, invalid, ProxyRefusal } from './refusal.ts'

/** Returns the head of a request as it arrived. */
export function readHead({ method = '', url = '', rawHeaders }: IncomingMessage): RawRequestHead {
  const pairs = rawHeaders.flatMap((name, index): [name: string, value: string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )
  return { method, target: url, rawHeaders: pairs }
}

/** Returns the values of a header, in the order of the wire; `name` in lower case. */
export function headerValues({ rawHeaders }: RawRequestHead, name: string): string[] {
  return rawHeaders
    .filter(([candidate]) => candidate.toLowerCase() === name)
    .map(([, value]) => value)
}

const maxHeaderLines = 256

/**
 * Refuses a head on which two readers could differ. Node's parser has refused one that gives the length of the body
 * twice, or not as a number.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-6.3
 */
export function assertUnambiguous(head: RawRequestHead): void {
  // What verifies a signature looks for each of its headers among all.
  if (head.rawHeaders.length > maxHeaderLines) {
    throw new ProxyRefusal(
      431,
      'RequestHeaderFieldsTooLarge',
      `the head has more than ${maxHeaderLines} headers`,
    )
  }
  const codings = headerValues(head, 'transfer-encoding')
  const fail = (message: string): never => {
    throw invalid(message)
  }
  if (codings.some((coding) => coding.toLowerCase() !== 'chunked')) {
    fail('the only transfer-encoding is chunked')
  }
  for (const name of ['host', 'authorization', 'x-svc-proxy-secret', 'x-amz-copy-source']) {
    if (headerValues(head, name).length > 1) fail(`the header ${name} is given twice`)
  }
  // It means nothing there, and is not sent over HTTP/2.
  const [length = 0] = headerValues(head, 'content-length')
  const isEmpty = codings.length === 0 && Number(length) === 0
  if (!isEmpty && /^(?:GET|HEAD)$/.test(head.method)) fail(`${head.method} takes no body`)
  const expectations = headerValues(head, 'expect')
  if (expectations.some((expectation) => expectation.toLowerCase() !== '100-continue')) {
    throw new ProxyRefusal(417, 'ExpectationFailed', 'the only expectation is 100-continue')
  }
}

/**
 * Refuses a request for another host, which a page could send by a name that it rebound to this address.
 *
 * @param port - That of this proxy; `undefined` for a socket, where any one host will do.
 */
export function assertHost(head: RawRequestHead, port: number | undefined): string {
  const [host] = headerValues(head, 'host')
  if (host === undefined) throw invalid('the header host is missing')
  if (port === undefined) return host
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  // The one port that clients leave out.
  const given = /:\d+$/.test(host) ? host : `${host}:80`
  if (hosts.includes(given.toLowerCase())) return host
  throw new ProxyRefusal(
    421,
    'MisdirectedRequest',
    `this proxy serves only ${hosts.join(' and ')}; use that as the base URL, and paths, not names, for buckets`,
  )
}

/** Refuses what a web page sends, whatever it knows. No response lets a page read it either. */
export function assertNoPage(head: RawRequestHead): void {
  const sites = headerValues(head, 'sec-fetch-site')
  const isPage =
    headerValues(head, 'origin').length > 0 || sites.some((site) => site.toLowerCase() !== 'none')
  if (isPage) throw denied('web pages cannot use this proxy (Origin, Sec-Fetch-Site)')
}
