import type { ClientResponse } from './client.ts'

/** Describes the response of a client that gives a `Response`. */
export function responseOf(response: Response, shown: unknown = response): ClientResponse {
  return {
    status: response.status,
    text: () => response.text(),
    chunks: () => response.body ?? new ReadableStream(),
    shown,
  }
}

/** Describes the response of a client that reads the body itself. */
export function wholeResponse(status: number, text: string, shown: unknown): ClientResponse {
  return {
    status,
    text: () => Promise.resolve(text),
    chunks: () => new Blob([text]).stream(),
    shown,
  }
}
