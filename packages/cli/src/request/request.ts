import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import { createFileReader, type ReadFile } from './files.ts'
import { readHeaders } from './headers.ts'
import type { RequestFlags } from './request.options.ts'
import { resolveUrl, type ServiceUrl } from './url.ts'

/** A request as a command line describes it. */
export interface CommandRequest extends ServiceUrl {
  readonly method: string
  readonly headers: Headers
  readonly body: RequestBody | undefined
}

/** The body of a {@link CommandRequest}, in memory. */
export interface RequestBody {
  readonly bytes: Buffer<ArrayBuffer>
  /** The place that it comes from: the text of the flag itself, a file, or the standard input. */
  readonly source: { readonly kind: 'text' | 'input' } | { readonly kind: 'file'; name: string }
}

/**
 * Reads the request that a command line describes.
 *
 * @throws UsageError naming the flag that is wrong.
 */
export async function readRequest(
  path: string,
  flags: RequestFlags,
  baseUrl: string,
  context: CommandContext,
): Promise<CommandRequest> {
  const { method = flags.data === undefined ? 'GET' : 'POST', header = [], data } = flags
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(method)) {
    throw new UsageError('--method must be an HTTP method such as GET')
  }
  if (data !== undefined && /^(?:get|head)$/i.test(method)) {
    throw new UsageError(`--data cannot be sent with ${method.toUpperCase()}; use --method POST`)
  }
  const resolved = await resolveUrl(path, baseUrl)
  const readFile = createFileReader(context)
  const headers = await readHeaders(header, readFile)
  const body = data === undefined ? undefined : await readBody(data, readFile)
  return { ...resolved, method: method.toUpperCase(), headers, body }
}

async function readBody(data: string, readFile: ReadFile): Promise<RequestBody> {
  if (!data.startsWith('@')) return { bytes: Buffer.from(data), source: { kind: 'text' } }
  const name = data.slice(1)
  const bytes = Buffer.from(await readFile('--data', name))
  return { bytes, source: name === '-' ? { kind: 'input' } : { kind: 'file', name } }
}

/** Returns the second argument of `fetch` for a request. */
export function toInit(
  { method, headers, body }: CommandRequest,
  signal: AbortSignal,
): RequestInit {
  return { method, headers, signal, redirect: 'manual', ...(body && { body: body.bytes }) }
}
