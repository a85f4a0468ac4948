import type { ClientCall } from '../client.ts'

/** The part of a call that `fetch` takes, and the clients that hand their options on to it. */
export function requestInit({
  method,
  headers,
  body,
  signal,
}: ClientCall): Omit<RequestInit, 'signal'> & { signal?: AbortSignal } {
  return {
    method,
    ...(headers && { headers }),
    ...(signal && { signal }),
    ...(body !== undefined && { body }),
    // The types of the web platform do not know it yet.
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  }
}

/** The signal of a call, or of its timeout, for clients that have no timeout of their own. */
export function withTimeout({ signal, timeoutMs }: ClientCall): { signal?: AbortSignal } {
  if (timeoutMs !== undefined) return { signal: AbortSignal.timeout(timeoutMs) }
  return signal ? { signal } : {}
}

/** A call whose JSON is its body, for clients that leave that to the caller. */
export function withJsonBody(call: ClientCall): ClientCall {
  if (!call.json) return call
  const headers = { 'content-type': 'application/json', ...call.headers }
  return { ...call, headers, body: JSON.stringify(call.json) }
}
