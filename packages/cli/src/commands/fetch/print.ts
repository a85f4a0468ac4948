import type { Readable } from 'node:stream'
import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../exit.ts'
import { openColours } from '../../output/colours.ts'
import { formatJson } from '../../output/json.ts'
import type { StandardOutput } from '../../output/standard-output.ts'
import { headerText, printable, printableLines } from '../../output/text.ts'
import { type FetchResponse, headerOf } from './send.ts'

/** Returns the head of a response as curl prints it. */
export function formatHead({ status, statusText, headers }: FetchResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((line) => `${name}: ${printable(headerText(line))}\r\n`),
  )
  // undici does not say which version it was.
  return `HTTP/1.1 ${status} ${printable(headerText(statusText))}\r\n${lines.join('')}\r\n`
}

/** The largest JSON that is formatted: 8 MiB. Nobody reads a larger one on a terminal. */
const maxJsonLength = 8 * 1024 * 1024

/** The way in which a body is printed. */
export interface PrintOptions {
  /** `true` if the user asked for it by `--output -`. */
  readonly allowsBinary: boolean
  readonly onChunk: (bytes: number) => void
}

/**
 * Prints the body of a response: readable on a terminal, and elsewhere as it came.
 *
 * @throws UsageError if it is binary and would go to a terminal.
 */
export async function printBody(
  response: FetchResponse,
  body: Readable,
  output: StandardOutput,
  context: CommandContext,
  { allowsBinary, onChunk }: PrintOptions,
): Promise<void> {
  // Bytes that the user asked for go to a terminal as they are.
  const isTerminal = context.stdout.isTTY === true && !allowsBinary
  const decoder = new TextDecoder()
  const shown = (chunk: Buffer): string | Buffer =>
    isTerminal ? printableLines(decoder.decode(chunk, { stream: true })) : chunk
  const isJson = /^[^;]*[/+]json\b/i.test(headerOf(response, 'content-type') ?? '')
  let waiting: Buffer[] | undefined = isTerminal && isJson ? [] : undefined
  let waitingBytes = 0
  // An iteration that is left destroys the stream, and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onChunk(chunk.byteLength)
    // Text has no byte of zero, but for encodings that a terminal does not read either.
    if (isTerminal && chunk.includes(0)) throw binaryError()
    if (waiting && (waitingBytes += chunk.byteLength) <= maxJsonLength) {
      waiting.push(chunk)
      continue
    }
    for (const earlier of waiting ?? []) await output.write(shown(earlier))
    waiting = undefined
    await output.write(shown(chunk))
    if (output.isClosed) return
  }
  if (!waiting) return
  const text = Buffer.concat(waiting).toString()
  const formatted = formatJson(text, await openColours(context))
  await output.write(formatted === undefined ? printableLines(text) : `${formatted}\n`)
}

function binaryError(): UsageError {
  return new UsageError(
    'the response is binary and would garble the terminal; --output <file> saves it, --output - prints it all the same',
  )
}
