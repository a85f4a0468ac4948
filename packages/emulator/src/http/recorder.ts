import { headBytes, type RawRequest, splitTarget } from './request.ts'

/** A request that reached the emulator, with its verification and the status of its response. */
export interface RecordedRequest extends RawRequest {
  /** The body; empty if it was refused unread, or had to make room for later requests. */
  readonly body: Uint8Array
  /** The length of the body that was read. */
  readonly bodyBytes: number
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
   * its body was too large, there was no room for it, its URI was malformed, or a fault responded or
   * dropped it first.
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
  /** Records a request; the returned function finishes its entry, without a result if it was dropped. */
  record(request: RawRequest): (result: RecordedResult | undefined) => void
  clear(): void
}

interface RecordedResult {
  readonly status: number
  readonly auth: RecordedAuth
}

type Entry = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] }

/**
 * Creates a recorder. Beyond `maxBytes` it drops the oldest bodies, then the oldest requests; the
 * latest request stays. Beyond `maxRequests` it drops the oldest request.
 */
export function createRecorder(
  maxRequests: number,
  maxBytes: number,
  onRequest: (request: RecordedRequest) => void,
): Recorder {
  const requests: Entry[] = []
  // What each entry takes without its body; an entry that was dropped takes nothing.
  const sizes = new Map<Entry, number>()
  let total = 0
  let bodiesDropped = 0

  const isFull = () => total > maxBytes
  const dropBody = (entry: Entry | undefined) => {
    if (entry === undefined) return
    total -= entry.body.byteLength
    entry.body = new Uint8Array()
  }
  const dropRequest = () => {
    const entry = requests.shift()
    if (entry === undefined) return
    total -= entry.body.byteLength + (sizes.get(entry) ?? 0)
    sizes.delete(entry)
    bodiesDropped = Math.max(0, bodiesDropped - 1)
  }
  const add = (entry: Entry, bytes: number) => {
    const size = sizes.get(entry)
    if (size === undefined) return
    sizes.set(entry, size + bytes)
    total += bytes
    while (requests.length > maxRequests) dropRequest()
    while (isFull() && bodiesDropped < requests.length) {
      dropBody(requests[bodiesDropped])
      bodiesDropped += 1
    }
    while (isFull() && requests.length > 1) dropRequest()
  }
  return {
    requests,
    record(request) {
      const entry: Entry = {
        ...request,
        bodyBytes: request.body.byteLength,
        path: splitTarget(request.target).path,
        headers: headerRecord(request),
        status: undefined,
        auth: { scheme: 'none', ok: false },
      }
      requests.push(entry)
      sizes.set(entry, 0)
      total += entry.bodyBytes
      add(entry, headBytes(request))
      return (result) => {
        if (result !== undefined) {
          entry.status = result.status
          entry.auth = result.auth
          // The name that a refused login gave is as long as its sender liked.
          add(entry, 2 * (result.auth.user?.length ?? 0))
        }
        try {
          onRequest(entry)
        } catch {
          // An observer changes nothing.
        }
      }
    },
    clear() {
      requests.length = 0
      sizes.clear()
      total = 0
      bodiesDropped = 0
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
