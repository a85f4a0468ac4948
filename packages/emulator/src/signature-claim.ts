import type { CredentialScope } from './credential-scope.ts'

/**
 * What a request says about its own signature, well formed and not yet believed. The header form
 * and, once there is one, the query form both come down to this.
 */
export interface SignatureClaim {
  readonly ok: true
  readonly accessKeyId: string
  readonly scope: CredentialScope
  /** The instant of the signature, as it stands on the wire. */
  readonly amzDate: string
  readonly signedAt: number
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** The last line of the canonical request. */
  readonly payloadHash: string
}
