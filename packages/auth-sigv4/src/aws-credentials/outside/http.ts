import { abortable, isLoopback } from '@svc/auth-hooks/scheme'
import type { ApiKey } from '../../credentials.ts'
import { codeOf, Failure, type Outside } from './outside.ts'

/** A response, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The limits of one request and its repetitions. */
export interface Limits {
  /** The time for all attempts. */
  readonly timeoutMs: number
  /** How often it is sent if the connection breaks, or the service is busy. */
  readonly attempts: number
}

/** Those of a service of AWS. */
export const serviceLimits: Limits = { timeoutMs: 10_000, attempts: 3 }

/** No document with a key has more. */
const maxBytes = 256 * 1024

/**
 * Sends a request that must not leave its host: a redirect is a response like any other.
 *
 * @param who - The receiver, for the message of an error.
 */
export async function send(
  { fetch, deadline, pause }: Outside,
  url: URL,
  init: RequestInit,
  who: string,
  { timeoutMs, attempts }: Limits,
): Promise<Reply> {
  const signal = deadline(timeoutMs)
  const attempt = async (): Promise<Reply> => {
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    if (response.redirected) throw new Failure('was left by a redirect: the fetch must follow none')
    return { status: response.status, headers: response.headers, text: await readText(response) }
  }
  for (let count = 1; ; count += 1) {
    try {
      const reply = await abortable(attempt(), signal)
      if (count === attempts || !isBusy(reply)) return reply
    } catch (error) {
      if (error instanceof Failure) throw new Failure(`${who} ${error.message}`)
      if (signal.aborted) throw new Failure(`${who} did not respond within ${timeoutMs} ms`)
      if (count === attempts) throw new Failure(`${who} cannot be reached (${codeOf(error)})`)
    }
    await abortable(pause(100 * 2 ** count), signal).catch(() => {})
  }
}

/** Tells if a service wants to be asked again; STS says so with a 400. */
function isBusy({ status, text }: Reply): boolean {
  return status === 429 || status >= 500 || /<Code>(?:Throttling|IDPComm)/.test(text)
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Ends the connection of what is not read.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Failure(`responded with more than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

/** The fields of a key in a document, in the order id, secret, token, end. */
export type KeyFields = readonly [id: string, secret: string, token: string, end: string]

export const metadataFields: KeyFields = ['AccessKeyId', 'SecretAccessKey', 'Token', 'Expiration']

/** The difference of clocks from which on the end of a key is told by the clock of its sender: 4 minutes. */
const toleratedMs = 4 * 60_000

/**
 * Reads a temporary key. Its end counts from the `Date` of the response, if the clock here differs from that.
 *
 * @throws Failure if a field is missing.
 */
export function temporaryKey(
  document: Readonly<Record<string, unknown>>,
  [id, secret, token, end]: KeyFields,
  who: string,
  { headers }: Pick<Reply, 'headers'>,
  now: number,
): ApiKey {
  const text = (name: string): string => {
    const value = document[name]
    if (typeof value === 'string' && value !== '') return value
    throw new Failure(`${who} responded without ${name}`)
  }
  const given = document[end]
  const endsAt = new Date(typeof given === 'number' ? given : text(end)).getTime()
  if (Number.isNaN(endsAt)) throw new Failure(`${who} responded with an ${end} that is no date`)
  const offMs = now - Date.parse(headers.get('date') ?? '')
  return {
    accessKeyId: text(id),
    secretAccessKey: text(secret),
    sessionToken: text(token),
    expiresAt: Math.abs(offMs) > toleratedMs ? endsAt + offMs : endsAt,
  }
}

/** The suffixes of hosts by the prefix of a region, for partitions other than `aws` and `aws-us-gov`. */
const suffixes: readonly (readonly [prefix: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['eusc-', 'amazonaws.eu'],
]

/**
 * Returns the URL of a service of AWS in a region, or the one that the environment names: by https, or on loopback.
 *
 * @param variable - The end of the variable, such as `STS` of `AWS_ENDPOINT_URL_STS`.
 * @param hostOf - Returns the host for the region and the suffix of its partition.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export function serviceUrl(
  outside: Outside,
  variable: string,
  region: string,
  path: string,
  hostOf: (region: string, suffix: string) => string,
): URL {
  // It becomes a part of a host.
  if (!/^[a-z]{2,}(?:-[a-z]+)+-\d+$/.test(region)) {
    throw new Failure('the region must be a name such as us-east-1')
  }
  const [, suffix = 'amazonaws.com'] = suffixes.find(([prefix]) => region.startsWith(prefix)) ?? []
  const isIgnored = outside.variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true'
  const names = isIgnored ? [] : [`AWS_ENDPOINT_URL_${variable}`, 'AWS_ENDPOINT_URL']
  const name = names.find((one) => outside.variable(one))
  const given = name && outside.variable(name)
  const base = given ? given.replace(/\/+$/, '') : `https://${hostOf(region, suffix)}`
  return safeUrl(base + path, name ?? variable)
}

/** Returns a URL that a secret may be sent to: by https, or on this machine. */
export function safeUrl(text: string, name: string, others: readonly string[] = []): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Failure(`${name} must be an http or https URL without userinfo`)
  }
  if (url.protocol === 'https:' || isLoopback(url) || others.includes(url.hostname)) return url
  throw new Failure(`${name} must be an https URL, or one of this machine, not http://${url.host}`)
}
