/**
 * Says why a server refused a signature.
 *
 * @module @svc/auth-sigv4/diagnose
 */
import { check, isRequest } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { signerOf, withBase } from '../carried-signer.ts'
import { findCause } from './causes.ts'
import { isAboutTime } from './clock-cause.ts'
import { type Diagnosis, summarize } from './diagnosis.ts'
import { caller, readLocalEvidence } from './local-evidence.ts'
import { readRefusal } from './refusal.ts'
import type { SentRequest } from './sent-request.ts'
import { readServerEvidence } from './server-evidence.ts'
import { hideSecrets, printable } from './text.ts'

export type { Diagnosis, Difference, Verdict } from './diagnosis.ts'

/**
 * Says why a server refused a signature: which line of the canonical request or of the string to sign
 * differs, and the usual cause. The request is explained again at the date that the response
 * names, and compared with the XML that object stores return (`SignatureDoesNotMatch` and similar errors).
 *
 * Nothing is sent. At most 1 MiB of the response body is read, for at most 2 s and from a clone, so that you
 * can still read it; if it has already been read, the text that the client keeps is used, or else only status
 * and headers. The secret key is needed only in `auth`, and secret values (session token, signature, customer
 * keys) are shortened. If the server returned nothing to compare, the verdict is `unknown` and the summary says so.
 *
 * @param auth - The scheme that signed the request, or a selector that chose it.
 * @param refusal - The server's response: a `Response`, what ky, axios, got or ofetch threw or returned, the result
 * of openapi-fetch, or `{ response, data }` with the text of a body that was read. Nothing in the response causes
 * an error.
 * @param input - The first argument you passed to `fetch`; a path is one below the base URL of `auth`. It can be left
 * out where `refusal` holds the request, as the errors of ky, axios, got and ofetch do. A presigned URL is compared by
 * its own parameters. For a `Request` whose body has been used, the payload hash cannot be compared; pass its URL and
 * `init` instead.
 * @param init - The second argument you passed to `fetch`. Its `signal` is ignored here.
 * @throws TypeError if an argument is invalid, holds no response or does not tell the request; the message names it.
 * @throws AuthError as `explain` does: for a request that cannot be signed, or credentials that cannot
 * be obtained.
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
  auth: AuthScheme,
  refusal: unknown,
  input?: string | URL | Request,
  init?: RequestInit,
): Promise<Diagnosis> {
  const signerFor = signerOf(auth, caller)
  const refused = readRefusal(refusal)
  const sent =
    input === undefined && init === undefined
      ? refused.request
      : { input: withBase(auth, input), init }
  check(
    sent,
    caller,
    'input must be what was passed to fetch, since the refusal does not hold the request',
  )
  assertSent(sent)
  const server = await readServerEvidence(refused)
  const { canonical, stringToSign, signedAt, date } = server
  const isComparable = canonical !== undefined || stringToSign !== undefined
  // Where clocks are compared, ours is the one of now. Where lines are, the one that was signed: a
  // server that hides it responded in about the second of the request.
  const at = isComparable && !isAboutTime(server) ? (signedAt ?? date) : undefined
  const local = await readLocalEvidence(auth, signerFor, sent, refused.redirectedTo, canonical, at)
  const hide = hideSecrets([...local.secrets, server.element('SignatureProvided')?.trim() ?? ''])
  // Before anything is cut to a length, which could leave a part of a secret.
  const message = hide(server.message)
  const serverMessage = printable(message.slice(0, 300))
  const {
    verdict,
    meaning,
    differences: found = [],
    notes = [],
  } = findCause({ ...server, message }, local)
  const differences = found.map(({ line, ours, theirs, hint }) => ({
    line: hide(line),
    ours: hide(ours),
    theirs: hide(theirs),
    hint: hide(hint),
  }))
  const said = serverMessage === '' ? [] : [`The server says: ${serverMessage}`]
  return {
    verdict,
    differences,
    ...(serverMessage !== '' && { serverMessage }),
    summary: summarize(
      server.status,
      hide(server.code),
      { verdict, meaning: hide(meaning), differences, notes: notes.map(hide) },
      [...said, ...server.notes, ...local.notes],
    ),
  }
}

function assertSent(sent: { input: unknown; init?: unknown }): asserts sent is SentRequest {
  const { input, init } = sent
  check(
    typeof input === 'string' || input instanceof URL || isRequest(input),
    caller,
    'input must be a string, a URL or a Request',
  )
  check(
    init === undefined || (typeof init === 'object' && init !== null),
    caller,
    'init must be an object',
  )
}
