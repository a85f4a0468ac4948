import { createSigV4Auth, type SigningEngine } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { type Case, signHeaders } from './cases.ts'

/** A request as we signed it and as it goes over the wire, for every peer. */
export interface Signed {
  readonly given: Case
  readonly signature: string
  /** Without the parameters of a presigned URL's own. */
  readonly url: URL
  /** The signed headers, `host` included and `x-amz-date` not. */
  readonly headers: Record<string, string>
  readonly amzDate: string
  readonly body: Uint8Array<ArrayBuffer>
}

export async function signOurs(given: Case, engine: SigningEngine): Promise<Signed> {
  const auth = createSigV4Auth({
    baseUrl: given.origin,
    region: 'us-east-1',
    service: given.service,
    credentials: given.apiKey,
    payload: given.payload,
    signHeaders,
    clock: () => given.at,
    engine,
  })
  const amzDate = new Date(given.at).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const { method, headers, body, signedIn } = given
  const address = given.origin + given.path + given.query
  if (signedIn !== 'header') {
    const url = await presign(auth, address, { method, headers, expiresInSeconds: signedIn })
    const signature = url.searchParams.get('X-Amz-Signature') ?? ''
    url.search = url.search.replace(
      /(?<=[?&])X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Security-Token|Signature)=[^&]*&?/g,
      '',
    )
    url.search = url.search.replace(/[?&]$/, '')
    const sent = { host: url.host, ...Object.fromEntries(new Headers(headers)) }
    return { given, signature, url, headers: sent, amzDate, body: new Uint8Array() }
  }
  const init: RequestInit = { method, headers, ...(body !== undefined && { body }) }
  const { url, signature, signedHeaders, headers: all } = await explain(auth, address, init)
  const sent: Record<string, string> = {}
  for (const name of signedHeaders.split(';')) {
    if (name !== 'x-amz-date') sent[name] = name === 'host' ? url.host : (all.get(name) ?? '')
  }
  // The text of a body is sent as fetch encodes it.
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return { given, signature, url, headers: sent, amzDate, body: bytes ?? new Uint8Array() }
}
