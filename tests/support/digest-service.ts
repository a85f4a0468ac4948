import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The algorithms that the service knows, by their names in a challenge. */
const hashNames: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512-256': 'sha512-256',
}

/** A request for the service. */
export interface DigestCall {
  readonly method: string
  /** The path that came, of which the second segment is the algorithm: `/digest/SHA-256/any`. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** What the service says to a request. */
export interface DigestVerdict {
  readonly status: 200 | 401
  readonly headers: Readonly<Record<string, string>>
  /** The nonce and its count, in a line, and the body that came. */
  readonly text: string
}

export type DigestService = (call: DigestCall) => DigestVerdict

/**
 * Returns a service with Digest as RFC 7616 has it, with `qop="auth"`, on `node:crypto` alone. It shares no code with
 * the package, and takes no count of a nonce twice.
 */
export function createDigestService(user: {
  readonly username: string
  readonly password: string
}): DigestService {
  const realm = 'the "service"'
  const counts = new Map<string, Set<string>>()
  return ({ method, target, headers, body }) => {
    const algorithm = /^\/digest\/([\w-]+)/.exec(target)?.[1] ?? 'SHA-256'
    const hash = (text: string): string =>
      createHash(hashNames[algorithm] ?? 'sha256')
        .update(text)
        .digest('hex')
    const field = (name: string): string =>
      new RegExp(`[ ,]${name}="?([^",]*)`).exec(headers.authorization ?? '')?.[1] ?? ''
    const [nonce, count] = [field('nonce'), field('nc')]
    const key = hash(`${user.username}:${realm}:${user.password}`)
    const middle = `${nonce}:${count}:${field('cnonce')}:auth`
    const counted = counts.get(nonce)
    const isRight =
      field('response') === hash(`${key}:${middle}:${hash(`${method}:${target}`)}`) &&
      field('uri') === target &&
      field('username') === user.username
    if (isRight && counted && !counted.has(count)) {
      counted.add(count)
      const proof = hash(`${key}:${middle}:${hash(`:${target}`)}`)
      const text = `${nonce} ${count}\n${Buffer.from(body).toString()}`
      return { status: 200, headers: { 'authentication-info': `rspauth="${proof}"` }, text }
    }
    const fresh = randomBytes(16).toString('hex')
    counts.set(fresh, new Set())
    const quoted = realm.replaceAll('"', String.raw`\"`)
    const stale = isRight ? ', stale=true' : ''
    const value = `Digest realm="${quoted}", nonce="${fresh}", algorithm=${algorithm}, qop="auth"${stale}`
    return { status: 401, headers: { 'www-authenticate': value }, text: 'refused' }
  }
}
