/**
 * Says why a server refused a signature.
 *
 * @module @svc/auth-sigv4/diagnose
 */
import { readErrorAnswer } from './diagnose/error-answer.ts'
import type { Diagnosis } from './diagnose/diagnosis.ts'
import { findCause } from './diagnose/find-cause.ts'
import { isAboutTime } from './diagnose/find-clock.ts'
import { explainAgain, isRequest } from './diagnose/own-signature.ts'
import { hideValues } from './diagnose/redaction.ts'
import { summarize } from './diagnose/summary.ts'
import type { SigV4Auth } from './sigv4-auth.ts'

export type { Diagnosis, Difference, Verdict } from './diagnose/diagnosis.ts'

/**
 * Says why a server refused a signature: which line of the canonical request or of the string to sign
 * differs, and what usually causes it. The request is explained anew at the date that the answer names,
 * and held against the XML that object stores answer (`SignatureDoesNotMatch` and its kin).
 *
 * Nothing is sent. At most 1 MiB of the answer is read, for 2 s at most and from a clone, so that the
 * answer can still be read; where it was read before, its status and headers are left to go by. The
 * secret key is not needed beyond `auth`, and secret values (session token, signature, customer keys)
 * are shortened. Where the server gave nothing to compare, the verdict is `unknown` and the summary says
 * so.
 *
 * @param auth - The scheme that signed the request.
 * @param response - What the server answered. It is never the reason for an error.
 * @param input - What `fetch` was given. A presigned URL is compared by what it says itself. The payload
 * hash of a `Request` whose body is used cannot be compared; its URL and `init` can.
 * @param init - What `fetch` was given beside it. Its `signal` counts for nothing here.
 * @throws TypeError where an argument is none; the message names it.
 * @throws AuthError as `auth.explain` does: for a request that cannot be signed, or credentials that
 * cannot be had.
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
    throw new TypeError('auth must be a scheme that explains, as createSigV4Auth makes it')
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
