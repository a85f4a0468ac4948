import type { Explanation } from '../explain.ts'
import type { SigV4Auth } from '../sigv4-auth.ts'
import { canonicalParts, type CanonicalParts, type OwnRequest } from './compare.ts'
import { mediaType } from './hints.ts'
import { parseInstant, secretValues } from './text.ts'

/** The request as it is signed here, to be held against what the server has. */
export interface OwnSignature extends OwnRequest, Credential {
  readonly stringToSign: string
  /** `undefined` where it cannot be the one that was sent. */
  readonly signature: string | undefined
  readonly presigned: PresignedUrl | undefined
  /** Whether the caller gave the payload hash, by `x-amz-content-sha256`. */
  readonly isHashGiven: boolean
  /** Headers that a presigned URL is signed with, and the request lacks. */
  readonly unsent: readonly string[]
  /** What was sent and must not stand in a log, wherever the answer quotes it. */
  readonly secrets: readonly string[]
  /** What is to be known of this side, in sentences. */
  readonly notes: readonly string[]
}

/** What {@link explainAgain} needs to know of the answer. */
export interface AnswerOfRequest {
  readonly response: Response
  readonly canonical: CanonicalParts | undefined
  /** The instant to explain the request at; `undefined` for now. */
  readonly at: number | undefined
}

/**
 * Explains a request anew: without a signature that it bears already, without a body that is used up,
 * at the address that a redirect led to.
 *
 * @throws what `explain` throws.
 */
export async function explainAgain(
  auth: Pick<SigV4Auth, 'explain' | 'covers'>,
  input: string | URL | Request,
  init: RequestInit | undefined,
  { response, canonical, at }: AnswerOfRequest,
): Promise<OwnSignature> {
  const notes: string[] = []
  const unknown = new Set<string>()
  const source = isRequest(input) ? input : undefined
  let given: string | URL | Request = input
  // An answer can be older than the time limit of its request, and is explained all the same.
  let own: RequestInit = isRequest(init) ? init : { ...init, signal: null }

  const headers = new Headers(init?.headers ?? source?.headers)
  const isHashGiven = headers.has('x-amz-content-sha256')
  const unsign = (): void => {
    own = { ...own, headers }
  }
  if (headers.get('authorization')?.startsWith('AWS4-')) {
    headers.delete('authorization')
    notes.push('The given request is already signed; it is explained without its signature.')
    unsign()
  }

  const isBodyUsed = !init?.body && source && (source.bodyUsed || source.body?.locked === true)
  if (isBodyUsed) {
    given = source.url
    own = { ...own, method: init?.method ?? source.method, headers }
    if (!isHashGiven && !readPresigned(given)) {
      unknown.add('payload hash').add('x-amz-content-sha256')
      notes.push(
        'The body of the Request has already been used, so its payload hash cannot be compared; ' +
          'pass the URL and init that it was created from.',
      )
    }
  }

  const { url } = response
  const isElsewhere = response.redirected && URL.canParse(url) && auth.covers(new URL(url))
  if (isElsewhere) {
    const target = new URL(url)
    notes.push(
      `A redirect led to ${target.origin}${target.pathname}, so the request to that URL is compared.`,
    )
    given = isRequest(given) ? new Request(url, given.clone()) : url
  }

  const presigned = readPresigned(given)
  if (presigned) {
    const names = new Set(headers.keys())
    if (!isHashGiven) headers.set('x-amz-content-sha256', 'UNSIGNED-PAYLOAD')
    const method = init?.method ?? source?.method ?? 'GET'
    own = { signal: null, method, headers, body: init?.body ?? null }
    const explanation = await auth.explain(presigned.unsigned, own)
    return presignedSignature(explanation, presigned, names, notes)
  }

  const explanation = await auth.explain(given, own, { at })
  const parts = partsOf(explanation.canonicalRequest)
  if (isForm(init?.body) && !isHashGiven) {
    unknown.add('payload hash').add('x-amz-content-sha256')
    const theirType = canonical?.headers.get('content-type') ?? ''
    if (mediaType(theirType) === 'multipart/form-data') unknown.add('content-type')
    notes.push(
      'A form has a new boundary each time it is sent, so its payload hash cannot be compared; pass ' +
        'the Request that was sent.',
    )
  }
  const authorization = String(explanation.headers.get('authorization'))
  return {
    parts,
    wirePath: explanation.url.pathname,
    unknown,
    stringToSign:
      unknown.size === 0 ? explanation.stringToSign : withoutHash(explanation.stringToSign),
    ...readCredential(authorization.replace(/.*Credential=|,.*/g, '')),
    signature: unknown.size === 0 ? explanation.signature : undefined,
    presigned: undefined,
    isHashGiven,
    unsent: [],
    secrets: [
      explanation.signature,
      ...secretValues(explanation.headers),
      ...secretValues(explanation.url.searchParams),
    ],
    notes,
  }
}

// The signature of a presigned URL covers what it says it covers, and its own parameters.
function presignedSignature(
  explanation: Explanation,
  presigned: PresignedUrl,
  given: ReadonlySet<string>,
  notes: readonly string[],
): OwnSignature {
  const parts = partsOf(explanation.canonicalRequest)
  const { amzDate, credential, signedHeaders } = presigned
  const sent = new Map(
    [...explanation.headers, ...parts.headers].filter(
      // What signing adds, the URL has in its query.
      ([name]) => given.has(name) || !name.startsWith('x-amz-'),
    ),
  )
  const names = signedHeaders.split(';').filter(Boolean)
  const headers = new Map(
    names.map((name) => [name, (sent.get(name) ?? '').replace(/[\t ]+/g, ' ')]),
  )
  return {
    parts: { ...parts, headers, signedHeaders },
    wirePath: explanation.url.pathname,
    // Other services hash the body, which S3 leaves out.
    unknown: new Set(credential.service === 's3' ? [] : ['payload hash']),
    stringToSign: `AWS4-HMAC-SHA256\n${amzDate}\n${credential.scope}\n`,
    ...credential,
    signature: undefined,
    presigned,
    isHashGiven: given.has('x-amz-content-sha256'),
    unsent: names.filter((name) => !sent.has(name)),
    secrets: [...presigned.secrets, ...secretValues(explanation.headers)],
    notes,
  }
}

function partsOf(canonicalRequest: string): CanonicalParts {
  const parts = canonicalParts(canonicalRequest)
  if (parts) return parts
  throw new TypeError('auth must return a valid canonicalRequest from explain')
}

function withoutHash(stringToSign: string): string {
  return stringToSign.slice(0, stringToSign.lastIndexOf('\n') + 1)
}

function readPresigned(given: string | URL | Request): PresignedUrl | undefined {
  const text = isRequest(given) ? given.url : String(given)
  const base: string | undefined = globalThis.document?.baseURI ?? globalThis.location?.href
  return URL.canParse(text, base) ? readPresignedUrl(new URL(text, base)) : undefined
}

/** A `Request` of this realm, of another, or of a package. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value
}

function isForm(body: unknown): boolean {
  return Object.prototype.toString.call(body) === '[object FormData]'
}

/** The access key that signed, and for what. */
export interface Credential {
  readonly accessKeyId: string
  readonly scope: string
  readonly region: string
  readonly service: string
}

/** What a presigned URL says of its signature. */
export interface PresignedUrl {
  /** The URL as it was before the signature was added. */
  readonly unsigned: URL
  readonly amzDate: string
  readonly signedAt: number | undefined
  readonly endsAt: number | undefined
  readonly credential: Credential
  readonly signedHeaders: string
  /** The values that whoever has the URL can use, such as its signature. */
  readonly secrets: readonly string[]
}

/** Reads a presigned URL; `undefined` where the URL bears no signature. */
export function readPresignedUrl(url: URL): PresignedUrl | undefined {
  const parameters = new Map<string, string>()
  for (const [name, value] of url.searchParams) parameters.set(name.toLowerCase(), value)
  if (!parameters.has('x-amz-signature')) return undefined
  const unsigned = new URL(url)
  // Piece by piece, since searchParams would write all the others anew.
  unsigned.search = url.search
    .split('&')
    .filter((piece) => {
      const [name] = new URLSearchParams(piece).keys()
      return name?.toLowerCase() !== 'x-amz-signature'
    })
    .join('&')
  const read = (name: string): string => parameters.get(name) ?? ''
  const signedAt = parseInstant(read('x-amz-date'))
  const seconds = /^\d{1,9}$/.exec(read('x-amz-expires'))?.[0]
  return {
    unsigned,
    amzDate: read('x-amz-date'),
    signedAt,
    endsAt: signedAt && seconds ? signedAt + Number(seconds) * 1000 : undefined,
    credential: readCredential(read('x-amz-credential')),
    signedHeaders: read('x-amz-signedheaders'),
    secrets: secretValues(url.searchParams),
  }
}

/** Takes a `Credential` apart. The access key may have slashes of its own. */
export function readCredential(credential: string): Credential {
  const parts = credential.split('/')
  const scope = parts.slice(-4)
  const [, region = '', service = ''] = scope
  return { accessKeyId: parts.slice(0, -4).join('/'), scope: scope.join('/'), region, service }
}
