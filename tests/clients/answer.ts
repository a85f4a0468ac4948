import type { Answer } from './client.ts'

/** The answer of a client that gives a `Response`. */
export function answerOf(response: Response, shown: unknown = response): Answer {
  return {
    status: response.status,
    text: () => response.text(),
    chunks: () => response.body ?? new ReadableStream(),
    shown,
  }
}

/** The answer of a client that reads the body itself. */
export function readAnswer(status: number, text: string, shown: unknown): Answer {
  return {
    status,
    text: () => Promise.resolve(text),
    chunks: () => new Blob([text]).stream(),
    shown,
  }
}
