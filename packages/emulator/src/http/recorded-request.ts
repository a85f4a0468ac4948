import type { RawRequest } from './request.ts'

/** A request that reached the emulator, with what was verified and answered. */
export interface RecordedRequest extends RawRequest {
  /** The path of {@link RawRequest.target}, not decoded. */
  readonly path: string
  /** The headers by lower-case name, with repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The status of the answer; `undefined` until there is one, or if the connection was dropped. */
  readonly status: number | undefined
  /** What was verified. */
  readonly auth: RecordedAuth
}

/** What the emulator verified about one request. */
export interface RecordedAuth {
  /**
   * How the request was authenticated. `none` means that nothing was checked: it was a preflight,
   * its body was too large, or a fault answered or dropped it first.
   */
  readonly scheme: 'login' | 'token' | 'sigv4' | 'none'
  /** Whether the request was let in. */
  readonly ok: boolean
  /** The username, if a login or a token gave one. */
  readonly user?: string
  /** The `jti` of the token that was issued or checked. */
  readonly jti?: string
  /** The access key of the signature. */
  readonly accessKeyId?: string
  /** The names of the signed headers. */
  readonly signedHeaders?: readonly string[]
  /** Why it was refused: a {@link RefusalCode}, or a code of the emulator's own. */
  readonly code?: string
}
