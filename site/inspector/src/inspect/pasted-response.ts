import { readResponse } from '@svc/auth-sigv4/inspect'
import { InputError } from '../input/input-error.ts'
import { isTranscript, readTranscript } from '../input/transcript.ts'
import type { PastedResponse } from '../input/pasted-request.ts'

/** A response, and the remark on how it was read. */
export interface ReadResponse extends PastedResponse {
  readonly note?: string
}

/**
 * Reads a response as it was pasted: with its head, as `curl -v` shows it, or the body alone.
 *
 * @throws InputError where a head is cut off.
 */
export function readPastedResponse(given: string): ReadResponse | undefined {
  const start = given.trimStart()
  if (start === '') return undefined
  const marked = isTranscript(start) ? readTranscript(start).response : ''
  const text = marked === '' ? start : marked
  const { status, headers, body } = readResponse(text)
  if (status !== undefined) return { status, headers, body }
  if (text.startsWith('HTTP/')) {
    throw new InputError('status line', 'a response begins like HTTP/1.1 403 Forbidden.', 1)
  }
  return {
    status: 403,
    headers,
    body,
    note: 'The response has no status line, so the status is taken to be 403.',
  }
}
