import type { SigV4AuthOptions } from '@svc/auth-sigv4'
import type { Diagnosis } from '@svc/auth-sigv4/diagnose'
import type { CommandRequest } from '../../request/request.ts'
import type { Signing } from '../../request/signing.ts'
import type { SignedRequest } from './sender.ts'

/** The request that was refused, and everything that its response tells. */
export interface RefusedRequest {
  readonly request: CommandRequest
  readonly signing: Signing
  readonly signed: SignedRequest
  readonly status: number
  readonly headers: Headers
  readonly diagnosis: Diagnosis
  /** The instant of its signature, in epoch milliseconds. */
  readonly at: number
}

/** Another way to sign a request, in which a server may compute the signature. */
export interface Variant {
  /** As the end of "the service accepts the request …". */
  readonly name: string
  /** The change to make if it is accepted, in sentences. */
  readonly remedy: string
  readonly settings?: Partial<SigV4AuthOptions>
  /** The lead of the signature over this clock, in milliseconds. */
  readonly offsetMs?: number
  /** Headers to send and to sign beside those of the request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Tells the headers of the request that are left out. */
  readonly without?: (name: string) => boolean
  /** Changes lines of the canonical request; what is sent stays as it is. */
  readonly rewrite?: (lines: CanonicalLines) => Partial<CanonicalLines>
  /** `presigned` puts the signature into the URL. */
  readonly form?: 'presigned'
}

/** The lines of a canonical request that servers and proxies read otherwise. */
export interface CanonicalLines {
  readonly path: string
  readonly query: string
  readonly host: string
}
