import { type RawRequest, splitTarget } from './request.ts'

/** Keeps what arrived, in the order in which it arrived. */
export interface Recorder {
  /** The live list. */
  readonly requests: readonly RecordedRequest[]
  /** Adds a request; the function that comes back completes its entry. */
  add(request: RawRequest): (outcome: { status?: number; auth: RecordedAuth }) => void
  clear(): void
}

/** A recorder that forgets the oldest request when it holds more than `limit`. */
export function createRecorder(limit: number): Recorder {
  const requests: RecordedRequest[] = []
  return {
    requests,
    add(request) {
      const entry: { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] } = {
        ...request,
        path: splitTarget(request.target).path,
        headers: headerRecord(request),
        status: undefined,
        auth: { scheme: 'none', ok: false },
      }
      requests.push(entry)
      if (requests.length > limit) requests.shift()
      return ({ status, auth }) => {
        entry.status = status
        entry.auth = auth
      }
    },
    clear() {
      requests.length = 0
    },
  }
}

function headerRecord(request: RawRequest): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of request.rawHeaders) {
    const key = name.toLowerCase()
    const earlier = values.get(key)
    values.set(key, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return Object.fromEntries(values)
}

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
