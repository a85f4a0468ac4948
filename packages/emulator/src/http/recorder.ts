import { splitTarget, type RawRequest } from './request.ts'
import type { RecordedAuth, RecordedRequest } from './recorded-request.ts'

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
