import { type RawRequest, splitTarget } from './request.ts'

/** A request that reached the emulator, with its verification and the status of its response. */
export interface RecordedRequest extends RawRequest {
  /** The path of {@link RawRequest.target}, not decoded. */
  readonly path: string
  /** The headers by lower-case name, with repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The status of the response; `undefined` until there is one, or if the connection was dropped. */
  readonly status: number | undefined
  /** The result of the verification. */
  readonly auth: RecordedAuth
}

/** The emulator's verification of one request. */
export interface RecordedAuth {
  /**
   * The authentication of the request. `none` means that nothing was checked: it was a preflight,
   * its body was too large, or a fault responded or dropped it first.
   */
  readonly scheme: 'login' | 'token' | 'sigv4' | 'none'
  /** `true` if the request was let in. */
  readonly ok: boolean
  /** The username, if a login or a token gave one. */
  readonly user?: string
  /** The `jti` of the token that was issued or checked. */
  readonly jti?: string
  /** The access key of the signature. */
  readonly accessKeyId?: string
  /** The names of the signed headers. */
  readonly signedHeaders?: readonly string[]
  /** The reason of a rejection: a {@link RejectionCode}, or a code of the emulator's own. */
  readonly code?: string
}

/** The requests that arrived, in order. */
export interface Recorder {
  /** The live list. */
  readonly requests: readonly RecordedRequest[]
  /** Records a request; the returned function finishes its entry. */
  record(request: RawRequest): (result: { status: number; auth: RecordedAuth }) => void
  clear(): void
}

/** Creates a recorder that drops the oldest request when it holds more than `limit`. */
export function createRecorder(limit: number): Recorder {
  const requests: RecordedRequest[] = []
  return {
    requests,
    record(request) {
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
