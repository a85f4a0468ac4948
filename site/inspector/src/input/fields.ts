import { InputError } from './input-error.ts'
import { bytesOf, isHttpName, type PastedRequest, readUrl } from './pasted-request.ts'
import { readRawHttp } from './raw-http.ts'

/** A request as the fields of a form have it. */
export interface RequestFields {
  readonly method: string
  readonly url: string
  /** Headers line by line. */
  readonly headers: string
  readonly body: string
}

/**
 * Reads a request from fields.
 *
 * @throws InputError naming the field, and the line of a header.
 */
export function readFields({ method, url, headers, body }: RequestFields): PastedRequest {
  const name = method.trim() || 'GET'
  if (!isHttpName(name)) throw new InputError('Method', 'this is no HTTP method.')
  const read = readUrl(url, 'URL')
  const empty = headers.trimEnd().search(/\n[\t ]*\r?\n/)
  if (empty >= 0) {
    const line = headers.slice(0, empty).split('\n').length + 1
    throw new InputError(
      'Headers',
      'an empty line stands between headers; the body has a field of its own.',
      line,
    )
  }
  // The first line is the one that no field has.
  let lines: PastedRequest
  try {
    lines = readRawHttp(`${name} ${read.url} HTTP/1.1\n${headers.trimEnd()}`)
  } catch (error) {
    if (!(error instanceof InputError) || error.line === undefined) throw error
    throw new InputError(`Headers, ${error.part}`, error.message, error.line - 1, error.column)
  }
  return {
    ...lines,
    body: body === '' ? undefined : bytesOf(body),
    secrets: [...read.secrets, ...lines.secrets],
    notes: [...read.notes, ...lines.notes],
  }
}
