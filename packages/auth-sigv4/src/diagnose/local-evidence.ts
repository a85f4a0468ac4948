import { readRequest } from '@svc/auth-hooks/read-request'
import { check, documentBaseUrl, isHttpToken, isRequest } from '@svc/auth-hooks/scheme'
import type { AuthScheme, OutgoingRequest } from '@svc/types'
import type { CarriedSigner, signerOf } from '../carried-signer.ts'
import { type Explanation, toExplanation } from '../explanation.ts'
import { isS3Service } from '../canonical-request.ts'
import { readHeaders } from '../read-headers.ts'
import { canonicalParts, type CanonicalParts, type ExpectedRequest } from './compare.ts'
import { mediaType } from './header-hint.ts'
import {
  type Credential,
  type PresignedUrl,
  readCredential,
  readPresignedUrl,
} from './presigned-url.ts'
import { startDeadline } from './read-stream.ts'
import type { SentRequest } from './sent-request.ts'
import { secretValues } from './text.ts'

/** The package and the function, for the messages of errors. */
export const caller = '[@svc/auth-sigv4] diagnose'

/** The request as it is signed here, to be compared with that of the server. */
export interface LocalEvidence extends ExpectedRequest, Credential {
  readonly stringToSign: string
  /** `undefined` where it cannot be the one that was sent. */
  readonly signature: string | undefined
  /** The signature that the request bears: that of a presigned URL, or one that was read. */
  readonly borne: string | undefined
  /** `true` if `readSignature` read the request: somebody else may have signed it, in another form. */
  readonly isRead: boolean
  readonly presigned: PresignedUrl | undefined
  /** `true` if the caller gave the payload hash, by `x-amz-content-sha256`. */
  readonly isHashGiven: boolean
  /** Headers that a presigned URL or a request that was read is signed with, and the request lacks. */
  readonly unsent: readonly string[]
  /** Values that were sent and must not stand in a log, wherever the response quotes them. */
  readonly secrets: readonly string[]
  /** Remarks about this side, in sentences. */
  readonly notes: readonly string[]
}

/**
 * Explains a request anew: without a signature that it bears already, without a body that is used up,
 * at the address that a redirect led to.
 *
 * @param at - The instant to explain it at; `undefined` for now.
 * @throws TypeError where the request cannot be read.
 * @throws AuthError as `explain` does.
 */
export async function readLocalEvidence(
  auth: AuthScheme,
  signerFor: ReturnType<typeof signerOf>,
  { input, init }: SentRequest,
  redirectedTo: string | undefined,
  canonical: CanonicalParts | undefined,
  at: number | undefined,
): Promise<LocalEvidence> {
  const notes: string[] = []
  const unknown = new Set<string>()
  const source = isRequest(input) ? input : undefined
  check(
    URL.canParse(isRequest(input) ? input.url : input, documentBaseUrl()),
    caller,
    "input must be an absolute URL, such as new URL('/V1/report.csv', baseUrl)",
  )
  const isMethod = isHttpToken(init?.method ?? source?.method ?? 'GET')
  check(isMethod, caller, 'init.method must be an HTTP method such as GET')
  readHeaders(init?.headers ?? source?.headers, caller, 'init.headers')
  const isBodyUsed = !init?.body && (source?.bodyUsed || source?.body?.locked === true)
  const request = await readSent(auth, { input, init }, isBodyUsed)
  const { method } = request
  let { url } = request
  const headers = new Headers([...request.headers])
  const isGone = isMultipartStream(init?.body, headers)
  const body = isGone ? undefined : request.body
  const isHashGiven = headers.has('x-amz-content-sha256')
  if (headers.get('authorization')?.startsWith('AWS4-')) {
    headers.delete('authorization')
    notes.push('The given request is already signed, which is left out.')
  }

  if (isBodyUsed && !isHashGiven && !readPresignedUrl(url)) {
    unknown.add('payload hash').add('x-amz-content-sha256')
    notes.push(
      'The body of the Request has already been used, so its payload hash cannot be compared; pass a clone of it.',
    )
  }

  let signer = signerFor(method, url)
  const target = redirectedTo !== undefined && URL.canParse(redirectedTo) && new URL(redirectedTo)
  if (target && auth.covers(target) && signerFor(method, target).covers(target)) {
    notes.push(`A redirect led to ${target.origin}${target.pathname}, which is compared.`)
    url = target
    signer = signerFor(method, target)
  }

  const presigned = readPresignedUrl(url)
  if (presigned) {
    const names = new Set(headers.keys())
    if (!isHashGiven) headers.set('x-amz-content-sha256', presigned.payloadHash)
    url = presigned.unsigned
    const explanation = await explainSent(signer, { method, url, headers, body })
    return {
      ...(await presignedEvidence(signer, explanation, presigned, names, canonical)),
      ...borneEvidence(signer, explanation),
      notes,
    }
  }

  const explanation = await explainSent(signer, { method, url, headers, body }, at)
  const parts = partsOf(explanation.canonicalRequest)
  const isForm = Object.prototype.toString.call(init?.body) === '[object FormData]'
  if ((isGone || isForm) && !isHashGiven) {
    unknown.add('payload hash').add('x-amz-content-sha256')
    const actualType = canonical?.headers.get('content-type') ?? ''
    if (mediaType(actualType) === 'multipart/form-data') unknown.add('content-type')
    notes.push(
      'A form has a new boundary each time it is sent, so its payload hash cannot be compared; pass a clone of the Request that was sent.',
    )
  }
  const authorization = String(explanation.headers.get('authorization'))
  return {
    parts,
    sentPath: explanation.url.pathname,
    unknown,
    // Without the hash, where it is not the one that was sent.
    stringToSign: explanation.stringToSign.replace(/.*$/, (hash) =>
      unknown.size === 0 ? hash : '',
    ),
    ...readCredential(authorization.replace(/.*Credential=|,.*/g, '')),
    // Empty where a page explains a request without its key.
    signature: (unknown.size === 0 && explanation.signature) || undefined,
    unsent: [],
    borne: undefined,
    ...borneEvidence(signer, explanation),
    presigned: undefined,
    isHashGiven,
    secrets: [
      explanation.signature,
      ...secretValues(explanation.headers),
      ...secretValues(explanation.url.searchParams),
    ],
    notes,
  }
}

/** A signature that was read is computed as its request tells, with the hash of the body that it was signed with. */
function borneEvidence(
  { borne }: CarriedSigner,
  { signature }: Explanation,
): Pick<LocalEvidence, 'isRead'> & Partial<Pick<LocalEvidence, 'borne' | 'signature' | 'unsent'>> {
  if (!borne) return { isRead: false }
  return {
    isRead: true,
    borne: borne.signature,
    signature: borne.isComparable ? signature : undefined,
    unsent: borne.missingHeaders,
  }
}

async function explainSent(
  signer: CarriedSigner,
  sent: Pick<OutgoingRequest, 'method' | 'url' | 'headers' | 'body'>,
  at?: number,
): Promise<Explanation> {
  const request: OutgoingRequest = { ...sent, attempt: 1, reason: 'initial' }
  return toExplanation(request, await signer.signRequest(request, at))
}

// The signature of a presigned URL covers the headers that it names, and its own parameters.
async function presignedEvidence(
  signer: CarriedSigner,
  explanation: Explanation,
  presigned: PresignedUrl,
  given: ReadonlySet<string>,
  canonical: CanonicalParts | undefined,
): Promise<Omit<LocalEvidence, 'isRead' | 'notes'>> {
  const { amzDate, credential, signedHeaders } = presigned
  const ours = partsOf(explanation.canonicalRequest)
  const sent = new Map(
    [...explanation.headers, ...ours.headers].filter(
      // The URL has in its query what signing adds.
      ([name]) => given.has(name) || !name.startsWith('x-amz-'),
    ),
  )
  const names = signedHeaders.split(';').filter(Boolean)
  const headers = new Map(
    names.map((name) => [name, (sent.get(name) ?? '').replace(/[\t ]+/g, ' ')]),
  )
  // Other services hash the body, which S3 leaves out.
  const isS3 = isS3Service(credential.service)
  const { payloadHash } = isS3 ? ours : (canonical ?? {})
  const context = signer.borne ? undefined : await signer.signingContext(presigned.unsigned)
  const isOurs = context?.accessKeyId === credential.accessKeyId && payloadHash !== undefined
  const lines = [...headers].map(([name, value]) => `${name}:${value}`)
  const start = explanation.canonicalRequest.split('\n', 3)
  const text = [...start, ...lines, '', signedHeaders, payloadHash].join('\n')
  const scope = { ...credential, date: amzDate.slice(0, 8) }
  const at = { amzDate, scope, scopeText: credential.scope }
  const signed = isOurs ? await context.sign(text, at) : undefined
  return {
    parts: { ...ours, headers, signedHeaders },
    sentPath: explanation.url.pathname,
    unknown: new Set(isS3 ? [] : ['payload hash']),
    stringToSign: `AWS4-HMAC-SHA256\n${amzDate}\n${credential.scope}\n`,
    ...credential,
    signature: signed?.signature || undefined,
    borne: presigned.signature,
    presigned,
    isHashGiven: given.has('x-amz-content-sha256'),
    unsent: names.filter((name) => !sent.has(name)),
    secrets: [...presigned.secrets, ...secretValues(explanation.headers)],
  }
}

function partsOf(canonicalRequest: string): CanonicalParts {
  const parts = canonicalParts(canonicalRequest)
  if (parts) return parts
  throw new TypeError(`${caller}: auth must sign a valid canonical request`)
}

/** Reads a request as it was sent, whose body may be used up. An aborted signal does not matter any more. */
async function readSent(
  auth: AuthScheme,
  { input, init }: SentRequest,
  isBodyUsed: boolean | undefined,
): Promise<OutgoingRequest> {
  if (init && isRequest(init)) return readRequest(auth, input, init)
  const given = { ...init, signal: null }
  if (!isRequest(input)) return readRequest(auth, input, given)
  const { url, method, headers } = input
  if (isBodyUsed) return readRequest(auth, url, { method, headers, ...given })
  const { late, clear } = startDeadline()
  const read = await Promise.race([readRequest(auth, input, given), late]).finally(clear)
  if (read !== 'late') return read
  // What does not end is the stream that it is sent as.
  const stream = { body: new ReadableStream(), duplex: 'half' } as const
  return readRequest(auth, url, { method, headers, ...stream, ...given })
}

// got and axios keep a form as the stream that it was sent from.
function isMultipartStream(body: unknown, headers: Headers): boolean {
  return (
    mediaType(headers.get('content-type') ?? '') === 'multipart/form-data' &&
    typeof body === 'object' &&
    body !== null &&
    (Symbol.asyncIterator in body || 'pipe' in body)
  )
}
