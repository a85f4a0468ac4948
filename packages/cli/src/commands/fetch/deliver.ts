import { NetworkError, UsageError } from '../../exit.ts'
import { formatJson } from '../../output/json.ts'
import type { StandardOutput } from '../../output/standard-output.ts'
import { headerText, printable, printableLines } from '../../output/text.ts'
import type { Download } from './download.ts'
import { type Call, type FetchRequest, requestLine } from './request.ts'
import { type FetchResponse, headerOf } from './send.ts'

/** Gives a response to the file, or to standard output if there is none. */
export async function deliver(
  call: Call,
  response: FetchResponse,
  output: StandardOutput,
  file: Download | undefined,
): Promise<void> {
  const { request, options, context, progress } = call
  const isRefused = response.statusCode >= 400
  const isSilenced = isRefused && options.fail === true
  if (!isSilenced && (options.include || options.head)) await output.write(formatHead(response))
  // undici would miss the body that the head of a 304 only tells of.
  if (isSilenced || request.method === 'HEAD' || response.statusCode === 304) {
    response.body.destroy()
    return
  }
  try {
    await deliverBody(call, response, output, file)
    progress.end()
  } catch (error) {
    if (context.signal.aborted) throw error
    // What the service refused is said already, and counts for more than a body that nobody can read.
    if (isRefused) return
    if (error instanceof UsageError) throw error
    throw new NetworkError(`${requestLine(request)}: ${brokenText(error)}`, { cause: error })
  }
}

/** A place for a body; one with an end is not complete before. */
type Sink = Pick<Download, 'write'> & Partial<Pick<Download, 'end'>>

async function deliverBody(
  { request, options, context, progress }: Call,
  response: FetchResponse,
  output: StandardOutput,
  file: Download | undefined,
): Promise<void> {
  const length = headerOf(response, 'content-length')
  const announced = length === undefined ? undefined : Number(length)
  if (response.statusCode === 206) assertWholePart(request, response, announced)
  const isTerminal = !file && context.stdout.isTTY === true
  // Bytes that the user asked for by `--output -` go to a terminal as they are.
  const isForPeople = isTerminal && options.output !== '-'
  const sink: Sink = file ?? (isForPeople ? openTerminal(response, output) : output)
  const { pathname } = request.url
  const name = pathname.slice(pathname.lastIndexOf('/') + 1) || pathname
  // On the terminal the body itself shows how far it is.
  if (!isTerminal) progress.start(name, announced)
  let size = 0
  // An iteration that is left destroys the stream, and with it the connection.
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    await sink.write(chunk)
    if (!file && output.isClosed) return
    if (!isTerminal) progress.add(chunk.byteLength)
  }
  // HTTP/2 has an end of its own, which may come too early.
  if (announced !== undefined && size !== announced) {
    throw new NetworkError(`the response ended after ${size} of ${announced} bytes`)
  }
  await sink.end?.()
}

function brokenText(error: unknown): string {
  if (error instanceof NetworkError) return error.message
  const reason = error instanceof Error ? error.message : String(error)
  return `the connection broke while the response came (${reason})`
}

/**
 * Checks that a response with the status 206 has all of the range that was asked for. A server may send less, which
 * would be half a file. Several ranges come in a form of their own, which is not looked at.
 *
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
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(asked.trim()) ?? []
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(sent) ?? []
  const isBounded = from !== '' && to !== ''
  // A server may leave the size open: a range without a bound is then taken to reach the end.
  const openSize = isBounded ? Infinity : Number(last) + 1
  const size = total === '*' ? openSize : Number(total)
  // Of `bytes=-500` the number is that of the last bytes.
  const start = from === '' ? Math.max(size - Number(to), 0) : Number(from)
  const end = isBounded ? Math.min(Number(to), size - 1) : size - 1
  const isComplete = length === undefined || length === end - start + 1
  if (Number(first) === start && Number(last) === end && isComplete) return
  throw new NetworkError(`the service sent "${sent}" where ${asked} was asked for`)
}

/** Returns the head of a response as curl prints it. */
function formatHead(response: FetchResponse): string {
  const lines = Object.entries(response.headers).flatMap(([name, value = []]) =>
    [value].flat().map((line) => `${name}: ${printable(headerText(line))}\r\n`),
  )
  // undici does not say which version it was.
  return `HTTP/1.1 ${statusOf(response)}\r\n${lines.join('')}\r\n`
}

/** Returns the status of a response with its reason, of which HTTP/2 has none. */
export function statusOf({ statusCode, statusText }: FetchResponse): string {
  // An import would take as long as all the rest of a command that sends nothing.
  const reason = statusText || (process.getBuiltinModule('http').STATUS_CODES[statusCode] ?? '')
  return `${statusCode} ${printable(headerText(reason))}`.trim()
}

/** The largest JSON that is formatted. Nobody reads a larger one on a terminal. */
const maxJsonLength = 8 * 1024 * 1024

/** Opens the terminal for a body: JSON gets lines of its own, and nothing acts on the terminal. */
function openTerminal(
  response: FetchResponse,
  output: StandardOutput,
): Pick<Download, 'write' | 'end'> {
  const decoder = new TextDecoder()
  const isJson = /^[^;]*[/+]json\b/i.test(headerOf(response, 'content-type') ?? '')
  let json = isJson ? '' : undefined
  return {
    async write(chunk: Uint8Array) {
      // Text has no byte of zero, but for encodings that a terminal does not read either.
      if (chunk.includes(0)) {
        throw new UsageError(
          'the response is binary and would garble the terminal; --output <file> saves it, --output - prints it all the same',
        )
      }
      const text = (json ?? '') + decoder.decode(chunk, { stream: true })
      json = json !== undefined && text.length <= maxJsonLength ? text : undefined
      if (json === undefined) await output.write(printableLines(text))
    },
    async end() {
      if (json !== undefined) await output.write(printableLines(formatJson(json) ?? json))
    },
  }
}
