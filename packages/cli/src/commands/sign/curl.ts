import { UsageError } from '../../exit.ts'
import type { RequestBody } from '../../request/request.ts'

/** A request with everything that authenticates it, as it must be sent. */
export interface SignedRequest {
  readonly scheme: string
  readonly method: string
  readonly url: string
  /** In the order of their names, in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/**
 * Writes a request as one line for a POSIX shell that sends it with curl, byte for byte as it was signed.
 *
 * @throws UsageError for a body from the standard input that no shell can quote.
 * @see https://curl.se/docs/manpage.html
 */
export function curlLine(
  { method, url, headers }: SignedRequest,
  body: RequestBody | undefined,
): string {
  const data = dataArguments(method, body)
  const hasType = headers.some(([name]) => name === 'content-type')
  return [
    'curl',
    // Brackets and braces of a URL are its own, and stand for no list.
    '--globoff',
    // With `-X HEAD`, curl waits for a body that never comes.
    ...(method === 'HEAD' ? ['--head'] : ['-X', quote(method)]),
    ...headers.flatMap((header) => ['-H', quote(headerLine(header))]),
    // With data, curl adds a type of its own, which was not signed.
    ...(data.length > 0 && !hasType ? ['-H', "'content-type:'"] : []),
    ...data,
    quote(url),
  ].join(' ')
}

/** Writes a header as curl reads it, to which a colon without a value means that it must not be sent. */
export function headerLine([name, value]: readonly [name: string, value: string]): string {
  return value === '' ? `${name};` : `${name}: ${value}`
}

/** The longest text that is quoted: Linux allows 128 KiB for one argument of a program. */
const maxWordBytes = 100_000

function dataArguments(method: string, body: RequestBody | undefined): string[] {
  if (body === undefined) {
    // So that it sends a length, as servers ask for with these methods.
    return /^(?:POST|PUT|PATCH)$/.test(method) ? ['--data-raw', "''"] : []
  }
  const { source, bytes } = body
  if (source.kind === 'file') return ['--data-binary', quote(`@${source.name}`)]
  const text = bytes.toString()
  const isText = Buffer.from(text).equals(bytes) && !text.includes('\0')
  if (!isText || bytes.byteLength > maxWordBytes) {
    throw new UsageError(
      '--curl: a body that is no text, or longer than 100 000 bytes, needs a file: give --data @file',
    )
  }
  return ['--data-raw', quote(text)]
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
