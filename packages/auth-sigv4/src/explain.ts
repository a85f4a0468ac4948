/**
 * Shows a signature step by step.
 *
 * @module @svc/auth-sigv4/explain
 */
import { readRequest } from '@svc/auth-hooks/read-request'
import { check, checkOptions } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { signerOf, withBase } from './carried-signer.ts'
import { type Explanation, toExplanation } from './explanation.ts'

export type { Explanation } from './explanation.ts'

/** Options of {@link explain}. */
export interface ExplainOptions {
  /**
   * The instant of the signature, in epoch milliseconds.
   *
   * @default now, by the service's clock as far as it is known
   */
  at?: number | undefined
}

const caller = '[@svc/auth-sigv4] explain'

/**
 * Shows how a request would be signed, without sending it.
 *
 * @param auth - The scheme that signs the request, or a selector that chooses it.
 * @param input - The first argument for `fetch`, or a path below the base URL of `auth`. A `Request` stays usable.
 * @param init - The second argument for `fetch`.
 * @throws TypeError if `auth` is not what `createSigV4Auth` returns, chooses another scheme, or `at` is not a valid
 * instant.
 * @throws AuthError as `authorize` does, and `ERR_AUTH_ORIGIN` for a URL that is not covered.
 * @example
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 * import { explain } from '@svc/auth-sigv4/explain'
 *
 * const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 * })
 * const { canonicalRequest } = await explain(auth, 'https://search.example.com/V1/report.csv')
 * console.log(canonicalRequest)
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export async function explain(
  auth: AuthScheme,
  input: string | URL | Request,
  init?: RequestInit,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const signerFor = signerOf(auth, caller)
  const { at } = checkOptions(options, caller, { at: 'date now clock signingDate' })
  const isInstant = typeof at === 'number' && !Number.isNaN(new Date(at).getTime())
  check(at === undefined || isInstant, caller, 'at must be an instant in epoch milliseconds')
  const request = await readRequest(auth, withBase(auth, input), init)
  const signer = signerFor(request.method, request.url)
  return toExplanation(request, await signer.signRequest(request, at))
}
