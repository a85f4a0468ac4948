import type { CommandOption, Lists, Texts } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import { createFileReader, type ReadFile } from './files.ts'
import { readHeaders } from './headers.ts'
import { resolveUrl, type ServiceUrl } from './url.ts'

/** Values of {@link requestOptions}. */
export type RequestFlags = Texts<'request' | 'data'> & Lists<'header'>

/** The flag that gives a header, as curl has it. */
export const headerOption: CommandOption = {
  flags: '-H, --header <line>',
  description:
    'a header to send: "Name: value", "Name;" for an empty one, "Name:" to leave one out, @file for a ' +
    'header per line',
  isRepeatable: true,
}

/** The flags that describe a request, for commands that sign one without streaming its body: those of `fetch`. */
export const requestOptions: readonly CommandOption[] = [
  {
    flags: '-X, --request <method>',
    description: 'the method',
    default: 'GET, or POST with --data',
  },
  headerOption,
  {
    flags: '-d, --data <data>',
    description:
      'the body, as a form unless a content-type is given: text, @file or @- for standard input, sent as it is, ' +
      'line breaks included',
  },
]

/** A request as a command line describes it. */
export interface CommandRequest extends ServiceUrl {
  readonly method: string
  /** The headers that were given. */
  readonly given: Headers
  /** The headers to send: those that were given, and the type of a form. */
  readonly headers: Headers
  readonly body: RequestBody | undefined
}

/** The body of a {@link CommandRequest}, in memory. */
export interface RequestBody {
  readonly bytes: Buffer<ArrayBuffer>
  /** The place that it comes from: the text of the flag itself, a file, or the standard input. */
  readonly source: { readonly kind: 'text' | 'input' } | { readonly kind: 'file'; name: string }
}

/** Reads the request that a command line describes. */
export async function readRequest(
  path: string,
  flags: RequestFlags,
  baseUrl: string,
  context: CommandContext,
): Promise<CommandRequest> {
  const { header = [], data } = flags
  const method = await checkMethod(flags.request ?? (data === undefined ? 'GET' : 'POST'))
  if (data !== undefined && /^(?:GET|HEAD)$/.test(method)) {
    throw new UsageError(`--data cannot be sent with ${method}; use --request POST`)
  }
  const resolved = await resolveUrl(path, baseUrl)
  const readFile = createFileReader(context)
  const named = await readHeaders(header, readFile)
  const body = data === undefined ? undefined : await readData('--data', data, readFile)
  // As curl and `fetch` send it.
  const isForm = body !== undefined && !named.has(contentType)
  const given = new Headers()
  for (const [name, value] of named) if (value !== undefined) given.set(name, value)
  const headers = new Headers(given)
  if (isForm) headers.set(contentType, 'application/x-www-form-urlencoded')
  return { ...resolved, method, given, headers, body }
}

/** Returns a method as it is sent. */
export async function checkMethod(method: string): Promise<string> {
  const { isHttpToken, normalizeMethod } = await import('@svc/auth-hooks/scheme')
  if (isHttpToken(method) && !/^connect$/i.test(method)) return normalizeMethod(method)
  throw new UsageError('--request must be a method such as GET, PUT or DELETE')
}

const contentType = 'content-type'

/** Reads the value of a flag that gives a body: a text, `@file` or `@-`. */
export async function readData(
  flag: string,
  data: string,
  readFile: ReadFile,
): Promise<RequestBody> {
  if (!data.startsWith('@')) return { bytes: Buffer.from(data), source: { kind: 'text' } }
  const name = data.slice(1)
  const bytes = Buffer.from(await readFile(`${flag} ${data}`, name))
  return { bytes, source: name === '-' ? { kind: 'input' } : { kind: 'file', name } }
}

/** Returns the second argument of `fetch` for a request. */
export function toInit(
  { method, headers, body }: CommandRequest,
  signal: AbortSignal,
): RequestInit {
  return { method, headers, signal, redirect: 'manual', ...(body && { body: body.bytes }) }
}
