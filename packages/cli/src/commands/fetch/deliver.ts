import type { CommandContext } from '../../context.ts'
import { NetworkError, UsageError } from '../../exit.ts'
import type { StandardOutput } from '../../output/standard-output.ts'
import { decodeBody } from './decode.ts'
import type { Download } from './download.ts'
import type { FetchOptions } from './fetch.options.ts'
import { formatHead, printBody } from './print.ts'
import type { Progress } from './progress.ts'
import { assertWholePart } from './range.ts'
import { type FetchRequest, requestLine } from './request.ts'
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
