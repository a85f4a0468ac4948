import { outcomeOf, type ProbeReport } from './report.ts'
import {
  type CanonicalLines,
  listVariants,
  type RefusedRequest,
  type SignedRequest,
  type Variant,
} from './variants.ts'

/** Sends a signed request once. No redirect is followed, and nothing is tried again. */
export type Sender = (signed: SignedRequest) => Promise<Response>

/**
 * Sends a refused request again, signed in other ways, until one is accepted or the service asks for a pause. There are
 * 11 ways at most.
 */
export async function probe(refused: RefusedRequest, send: Sender): Promise<ProbeReport> {
  const attempts = [{ name: 'as it is configured', status: refused.status }]
  const signed = await signVariants(refused)
  for (const [index, [{ name, remedy }, request]] of signed.entries()) {
    const { status, headers, body } = await send(request)
    body?.cancel().catch(() => {})
    attempts.push({ name, status })
    if (outcomeOf(status) === 'accepted') {
      return { attempts, accepted: { name, remedy }, untried: [] }
    }
    const isPause = [423, 429, 503].includes(status) || headers.has('retry-after')
    if (isPause) return { attempts, untried: signed.slice(index + 1).map(([later]) => later.name) }
  }
  return { attempts, untried: [] }
}

/** Signs a request in all ways that make sense for it; some come to the same, and are left out. */
async function signVariants(
  refused: RefusedRequest,
): Promise<readonly (readonly [Variant, SignedRequest])[]> {
  const seen = new Set([fingerprint(refused.signed)])
  const signed: [Variant, SignedRequest][] = []
  for (const variant of listVariants(refused)) {
    const request = await signVariant(refused, variant)
    if (seen.has(fingerprint(request))) continue
    seen.add(fingerprint(request))
    signed.push([variant, request])
  }
  return signed
}

function fingerprint({ url, headers }: SignedRequest): string {
  return `${url.href}\n${headers.get('authorization') ?? ''}`
}

/** Signs a request in another way. */
async function signVariant(
  { request, signing, at }: RefusedRequest,
  { settings = {}, offsetMs = 0, rewrite }: Variant,
): Promise<SignedRequest> {
  const instant = at + offsetMs
  const auth = await signing.createAuth({ ...settings, clock: () => instant })
  const { url, method, headers, body } = request
  const { explain } = await import('@svc/auth-sigv4/explain')
  const init = { method, headers, ...(body && { body: body.bytes }) }
  const explanation = await explain(auth, url, init)
  if (!rewrite) return explanation
  const canonicalRequest = rewriteCanonical(explanation.canonicalRequest, rewrite)
  const signature = await signCanonical(
    canonicalRequest,
    explanation.stringToSign,
    signing.apiKey.secretAccessKey,
  )
  const authorization = explanation.headers.get('authorization') ?? ''
  const rewritten = new Headers(explanation.headers)
  rewritten.set('authorization', authorization.replace(explanation.signature, signature))
  return { url: explanation.url, headers: rewritten }
}

function rewriteCanonical(
  text: string,
  rewrite: (lines: CanonicalLines) => Partial<CanonicalLines>,
): string {
  const [method = '', path = '', query = '', ...rest] = text.split('\n')
  const host = rest.findIndex((line) => line.startsWith('host:'))
  const lines = { path, host: (rest[host] ?? '').slice('host:'.length) }
  const changed = { ...lines, ...rewrite(lines) }
  return [method, changed.path, query, ...rest.with(host, `host:${changed.host}`)].join('\n')
}

/** Signs a canonical request in place of the one that a string to sign names. */
async function signCanonical(
  canonicalRequest: string,
  stringToSign: string,
  secretAccessKey: string,
): Promise<string> {
  const { nativeEngine } = await import('@svc/auth-sigv4/native')
  const engine = nativeEngine()
  const [algorithm, amzDate, scope = ''] = stringToSign.split('\n')
  const [date = '', region = '', service = ''] = scope.split('/')
  const key = await engine.deriveKey(secretAccessKey, { date, region, service })
  const hash = await engine.hash(canonicalRequest)
  return engine.sign(key, [algorithm, amzDate, scope, hash].join('\n'))
}
