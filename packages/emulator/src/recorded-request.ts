import type { RawRequest } from './raw-request.ts'

/** A request that reached the emulator, with what was verified and answered. */
export interface RecordedRequest extends RawRequest {
  /** The path of {@link RawRequest.target}, not decoded. */
  readonly path: string
  /** The headers by lower-case name, repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The status of the answer; `undefined` while there is none, and where the connection dropped. */
  readonly status: number | undefined
  /** What was verified. */
  readonly auth: RecordedAuth
}

/** What the emulator verified of one request. */
export interface RecordedAuth {
  /**
   * How the request was authenticated. `none`: it was not looked at, as for a preflight or a fault
   * that answers first.
   */
  readonly scheme: 'login' | 'token' | 'sigv4' | 'none'
  /** Whether it was good. */
  readonly ok: boolean
  /** The username, where a login or a token told it. */
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
