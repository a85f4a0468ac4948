/** Bounds the errors that led to another one. */
const maxCauses = 32

/**
 * The reasons for which a login gets no response, by the codes of Node, of Bun and of TLS, and by the
 * messages of Deno, which has no codes.
 *
 * @see https://nodejs.org/api/errors.html#common-system-errors
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const reasons: readonly (readonly [pattern: RegExp, what: string, remedy: string])[] = [
  [
    /^ECONNREFUSED|^ConnectionRefused|connection refused/i,
    'could not connect to HOST: nothing listens there',
    'check the port of baseUrl',
  ],
  [/^ENOTFOUND|dns error/i, 'the host name HOSTNAME is not known', 'check baseUrl'],
  [/^EAI_/, 'the host name HOSTNAME could not be looked up', 'check the network'],
  [
    /SSL_WRONG_VERSION_NUMBER|SSL_PACKET_LENGTH_TOO_LONG|received corrupt message/i,
    'HOST does not speak TLS',
    'check scheme and port of baseUrl',
  ],
  [
    /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)|peer certificate/i,
    'the TLS certificate of HOST was not accepted',
    'have this machine trust it, or correct baseUrl',
  ],
  [/^ERR_(?:SSL|TLS)_|^EPROTO/, 'there is no TLS with HOST', 'check scheme and port of baseUrl'],
  [
    /^E(?:HOST|NET)UNREACH|^E(?:HOST|NET)DOWN|network is unreachable/i,
    'HOST cannot be reached',
    'check the network',
  ],
  [
    /^ETIMEDOUT|^UND_ERR_\w+_TIMEOUT|timed out/i,
    'HOST did not respond in time',
    'check the network, its firewall and proxy',
  ],
  [
    /^HPE_|not match the HTTP|invalid HTTP/i,
    'the response of HOST is not HTTP',
    'check scheme and port of baseUrl',
  ],
  [
    /^ECONNRESET|^EPIPE|^UND_ERR_SOCKET|connection (?:reset|closed)|from connection/i,
    'HOST closed the connection before its response was complete',
    'try again, and check scheme and port of baseUrl',
  ],
]

/** Describes the failure of a request that got no response, and what to do about it. */
export function describeNetworkError(error: unknown, { host, hostname }: URL): string {
  const causes = causesOf(error)
  for (const [pattern, what, remedy] of reasons) {
    for (const { code, message } of causes) {
      if (!pattern.test(`${code} ${message}`.trim())) continue
      const words = what.replace('HOSTNAME', hostname).replace('HOST', host)
      return `failed: ${words}${code && ` (${code})`}; ${remedy}`
    }
  }
  return 'returned no complete response'
}

/** An error that led to another one, as far as it can be read. */
interface Cause {
  readonly link: object
  readonly name: unknown
  /** Empty if it has none. */
  readonly code: string
  readonly message: string
}

/** Returns an error and all that led to it: what `fetch` throws says little by itself. */
export function causesOf(error: unknown): Cause[] {
  const links = new Set([error])
  const causes: Cause[] = []
  // A set visits what is added on the way, too.
  for (const link of links) {
    if (typeof link !== 'object' || link === null || causes.length === maxCauses) continue
    try {
      const { cause, errors, name, code, message } = Object(link)
      causes.push({
        link,
        name,
        code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : '',
        message: String(message),
      })
      links.add(cause)
      if (Array.isArray(errors)) for (const one of errors) links.add(one)
    } catch {
      // A getter of an error that is not ours.
    }
  }
  return causes
}
