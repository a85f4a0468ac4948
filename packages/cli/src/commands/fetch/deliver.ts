import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import type { CommandContext } from '../../context.ts'
import { NetworkError, UsageError } from '../../exit.ts'
import { openColours } from '../../output/colours.ts'
import { formatJson } from '../../output/json.ts'
import type { StandardOutput } from '../../output/standard-output.ts'
import { headerText, printable, printableLines } from '../../output/text.ts'
import type { Download } from './download.ts'
import type { Progress } from './progress.ts'
import { type FetchOptions, type FetchRequest, requestLine } from './request.ts'
import { type FetchResponse, headerOf } from './send.ts'

/** A response, and the places that it can go to. */
export interface Delivery {
  readonly request: FetchRequest
  readonly options: FetchOptions
  readonly context: CommandContext
  readonly progress: Progress
  readonly response: FetchResponse
  readonly output: StandardOutput
  /** The file that takes the body; standard output if there is none. */
  readonly file: Download | undefined
}

/**
 * Gives a response to the file or to standard output.
 *
 * @throws NetworkError if it is shorter than announced, or the connection breaks.
 * @throws UsageError if it cannot be written.
 */
export async function deliver(delivery: Delivery): Promise<void> {
  const { request, options, context, progress, response, output } = delivery
  const isRefused = response.status >= 400
  const isSilenced = isRefused && options.fail === true
  if (!isSilenced && (options.include || options.head)) await output.write(formatHead(response))
  // undici would miss the body that the head of a 304 only tells of.
  if (isSilenced || request.method === 'HEAD' || response.status === 304) {
    response.body.destroy()
    return
  }
  try {
    await deliverBody(delivery)
    progress.end()
  } catch (error) {
    if (context.signal.aborted) throw error
    // What the service refused is said already, and counts for more than a body that nobody can read.
    if (isRefused) return
    if (error instanceof UsageError) throw error
    throw new NetworkError(`${requestLine(request)}: ${brokenText(error)}`, { cause: error })
  }
}

async function deliverBody({
  request,
  options,
  context,
  progress,
  response,
  output,
  file,
}: Delivery): Promise<void> {
  const length = headerOf(response, 'content-length')
  const body = options.compressed ? decodeBody(response) : response.body
  // The end of a compressed body is checked by what decompresses it.
  const announced = length === undefined || body !== response.body ? undefined : Number(length)
  if (response.status === 206) assertWholePart(request, response, announced)
  const isTerminal = !file && context.stdout.isTTY === true
  let size = 0
  const onChunk = (bytes: number): void => {
    size += bytes
    // On the terminal the body itself shows how far it is.
    if (!isTerminal) progress.add(bytes)
  }
  if (!isTerminal) progress.start(shownName(request), announced)
  if (file) {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      await file.write(chunk)
      onChunk(chunk.byteLength)
    }
  } else {
    const allowsBinary = options.output === '-'
    await printBody(response, body, output, context, { allowsBinary, onChunk })
    if (output.isClosed) return
  }
  // HTTP/2 has an end of its own, which may come too early.
  if (announced !== undefined && size !== announced) {
    throw new NetworkError(`the response ended after ${size} of ${announced} bytes`)
  }
  await file?.complete()
}

function shownName({ url }: FetchRequest): string {
  return url.pathname.slice(url.pathname.lastIndexOf('/') + 1) || url.pathname
}

function brokenText(error: unknown): string {
  if (error instanceof NetworkError) return error.message
  const reason = error instanceof Error ? error.message : String(error)
  return `the connection broke while the response came (${reason})`
}

/** Returns the body as it was before the server compressed it, or as it came if nobody knows how. */
function decodeBody(response: FetchResponse): Readable {
  const decoder = createDecoder(headerOf(response, 'content-encoding')?.trim().toLowerCase())
  if (!decoder) return response.body
  response.body.once('error', (error) => decoder.destroy(error))
  decoder.once('close', () => response.body.destroy())
  return response.body.pipe(decoder)
}

function createDecoder(coding: string | undefined) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}

/**
 * Checks that a response with the status 206 has all of the range that was asked for. A server may send less, which
 * would be half a file. Several ranges come in a form of their own, which is not looked at.
 *
 * @throws NetworkError if it has less, more or something else.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7
 */
function assertWholePart(
  { headers }: FetchRequest,
  response: FetchResponse,
  length: number | undefined,
): void {
  const asked = new Map(headers).get('range') ?? 'no range'
  if (asked.includes(',')) return
  const sent = headerOf(response, 'content-range') ?? ''
  if (isWhole(asked, sent, length)) return
  throw new NetworkError(`the service sent "${sent}" where ${asked} was asked for`)
}

function isWhole(asked: string, sent: string, length: number | undefined): boolean {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(asked.trim()) ?? []
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(sent) ?? []
  if (from === undefined || first === undefined) return false
  const count = Number(last) - Number(first) + 1
  if (length !== undefined && length !== count) return false
  // A server may leave the size open.
  const end = size === '*' ? Infinity : Number(size) - 1
  const isAtEnd = end === Infinity || Number(last) === end
  // Of `bytes=-500` the number is that of the last bytes.
  if (from === '') return isAtEnd && count === Math.min(Number(to), end + 1)
  if (Number(first) !== Number(from)) return false
  return to === '' ? isAtEnd : Number(last) === Math.min(Number(to), end)
}

/** Returns the head of a response as curl prints it. */
function formatHead({ status, statusText, headers }: FetchResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((line) => `${name}: ${printable(headerText(line))}\r\n`),
  )
  // undici does not say which version it was.
  return `HTTP/1.1 ${status} ${printable(headerText(statusText))}\r\n${lines.join('')}\r\n`
}

/** The largest JSON that is formatted: 8 MiB. Nobody reads a larger one on a terminal. */
const maxJsonLength = 8 * 1024 * 1024

/** The way in which a body is printed. */
interface PrintOptions {
  /** `true` if the user asked for it by `--output -`. */
  readonly allowsBinary: boolean
  readonly onChunk: (bytes: number) => void
}

/**
 * Prints the body of a response: readable on a terminal, and elsewhere as it came.
 *
 * @throws UsageError if it is binary and would go to a terminal.
 */
async function printBody(
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
