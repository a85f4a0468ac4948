/**
 * Says why a server refused a signature.
 *
 * @module @svc/auth-sigv4/diagnose
 */
import { readErrorAnswer } from './server-evidence.ts'
import type { Diagnosis } from './diagnosis.ts'
import { findCause } from './causes.ts'
import { isAboutTime } from './causes.ts'
import { explainAgain, isRequest } from './own-evidence.ts'
import { hideValues } from './text.ts'
import { summarize } from './diagnosis.ts'
import type { SigV4Auth } from '../sigv4-auth.ts'

export type { Diagnosis, Difference, Verdict } from './diagnosis.ts'

/**
 * Says why a server refused a signature: which line of the canonical request or of the string to sign
 * differs, and what usually causes that. The request is explained again at the date that the response
 * names, and compared with the XML that object stores return (`SignatureDoesNotMatch` and similar errors).
 *
 * Nothing is sent. At most 1 MiB of the response body is read, for at most 2 s and from a clone, so that you
 * can still read it; if it has already been read, only its status and headers are used. The secret key is
 * needed only in `auth`, and secret values (session token, signature, customer keys) are shortened. If the
 * server returned nothing to compare, the verdict is `unknown` and the summary says so.
 *
 * @param auth - The scheme that signed the request.
 * @param response - The server's response. Nothing in it causes an error.
 * @param input - What you passed to `fetch`. A presigned URL is compared by its own parameters. For a
 * `Request` whose body has been used, the payload hash cannot be compared; pass its URL and `init` instead.
 * @param init - The second argument you passed to `fetch`. Its `signal` is ignored here.
 * @throws TypeError if an argument is invalid; the message names it.
 * @throws AuthError as `auth.explain` does: for a request that cannot be signed, or credentials that
 * cannot be obtained.
 * @example
 * import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
 * import { diagnose } from '@svc/auth-sigv4/diagnose'
 *
 * const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 * })
 * const url = 'https://search.example.com/V1/report.csv'
 * const response = await authFetch(auth)(url)
 * if (response.status === 403) {
 *   const { verdict, summary } = await diagnose(auth, response, url)
 *   console.error(verdict, summary)
 * }
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-troubleshooting.html
 */
export async function diagnose(
  auth: SigV4Auth,
  response: Response,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Diagnosis> {
  checkArguments(auth, response, input, init)
  const answer = await readErrorAnswer(response)
  const { canonical, stringToSign, signedAt, date } = answer
  const isComparable = canonical !== undefined || stringToSign !== undefined
  // Where clocks are compared, ours is the one of now. Where lines are, the one that was signed: a
  // server that hides it answered in about the second of the request.
  const at = isComparable && !isAboutTime(answer) ? (signedAt ?? date) : undefined
  const own = await explainAgain(auth, input, init, { response, canonical, at })
  const hide = hideValues([...own.secrets, answer.element('SignatureProvided')?.trim() ?? ''])
  // What is cut to a length later must not hold a part of what is hidden here.
  const finding = findCause({ ...answer, message: hide(answer.message) }, own)
  const differences = (finding.differences ?? []).map(({ line, ours, theirs, hint }) => ({
    line: hide(line),
    ours: hide(ours),
    theirs: hide(theirs),
    hint: hide(hint),
  }))
  const shown = {
    ...finding,
    meaning: hide(finding.meaning),
    differences,
    notes: (finding.notes ?? []).map(hide),
  }
  const notes = [...answer.notes, ...own.notes]
  return {
    verdict: finding.verdict,
    differences,
    summary: summarize(answer.status, hide(answer.code), shown, notes),
  }
}

function checkArguments(auth: unknown, response: unknown, input: unknown, init: unknown): void {
  if (!has(auth, 'explain', 'function') || !has(auth, 'covers', 'function')) {
    throw new TypeError(
      'auth must be a scheme with explain and covers, as returned by createSigV4Auth',
    )
  }
  const headers: unknown = has(response, 'status', 'number') && Reflect.get(response, 'headers')
  if (!has(headers, 'get', 'function')) throw new TypeError('response must be a Response')
  if (typeof input !== 'string' && !(input instanceof URL) && !isRequest(input)) {
    throw new TypeError('input must be a string, a URL or a Request')
  }
  if (init !== undefined && (typeof init !== 'object' || init === null)) {
    throw new TypeError('init must be an object')
  }
}

function has(value: unknown, field: string, type: string): value is object {
  // Any object may be asked for a field.
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, field) === type
}
