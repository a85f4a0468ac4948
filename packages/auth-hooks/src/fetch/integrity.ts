import { check } from '../kit/checks.ts'
import { requireSubtle } from '../kit/subtle.ts'

/** Hashes that a page may name, the strongest last. */
const algorithms = ['sha256', 'sha384', 'sha512']

/**
 * Throws unless a response is the one that its caller named by a hash. The inner `fetch` is not told of
 * it, since it would hold it against a refused token or a redirect.
 *
 * @throws TypeError as `fetch` does; AuthError `ERR_AUTH_CRYPTO` if there is nothing to hash with.
 * @see https://www.w3.org/TR/SRI/#does-response-match-metadatalist
 */
export async function assertIntegrity(
  response: Response,
  metadata: string,
  caller: string,
): Promise<void> {
  const items = metadata.split(/[\t\n\f\r ]+/).flatMap((item) => {
    const [, algorithm = '', hash = ''] = /^(sha\d+)-([\w+/-]*)=*(?:\?.*)?$/i.exec(item) ?? []
    const strength = algorithms.indexOf(algorithm.toLowerCase())
    return strength < 0 ? [] : [{ strength, hash: hash.replaceAll('-', '+').replaceAll('_', '/') }]
  })
  const strongest = Math.max(...items.map(({ strength }) => strength))
  const algorithm = algorithms[strongest]
  // Whatever names no hash that is known asks for nothing.
  if (!algorithm) return
  const subtle = requireSubtle(`${caller}: integrity cannot be checked`)
  const bytes = await response.clone().arrayBuffer()
  const digest = await subtle.digest(algorithm.replace('sha', 'SHA-'), bytes)
  const actual = btoa(String.fromCodePoint(...new Uint8Array(digest))).replaceAll('=', '')
  if (items.some(({ strength, hash }) => strength === strongest && hash === actual)) return
  response.body?.cancel().catch(() => {})
  check(false, caller, 'the response does not match the integrity of the request')
}
