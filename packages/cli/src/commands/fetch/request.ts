import { basename } from 'node:path'
import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../exit.ts'
import { createFileReader } from '../../request/files.ts'
import { readHeaders } from '../../request/headers.ts'
import { resolveUrl } from '../../request/url.ts'
import {
  type BodyFlag,
  findBodyFlag,
  openBody,
  type BodyReading,
  type RequestBody,
} from './body.ts'
import type { FetchOptions } from './fetch.options.ts'
import type { HeaderLines } from './headers.ts'

/** A request as the command line has it. */
export interface FetchRequest {
  readonly method: string
  readonly url: URL
  /** The headers that the flags ask for, unless the user gives others. */
  readonly defaults: HeaderLines
  readonly headers: HeaderLines
  readonly body: RequestBody | undefined
}

/**
 * Reads the request of a command line, and opens its body.
 *
 * @throws UsageError naming what is wrong.
 */
export async function readRequest(
  path: string,
  options: FetchOptions,
  { baseUrl, ...reading }: Omit<BodyReading, 'isFramed'> & { readonly baseUrl: string },
): Promise<FetchRequest> {
  const flag = findBodyFlag(options)
  const method = readMethod(options, flag)
  const { url: resolved } = await resolveUrl(path, baseUrl)
  const url = uploadUrl(resolved, options)
  const given = await readHeaderLines(options, reading.context)
  const has = (wanted: string): boolean => given.some(([name]) => name === wanted)
  const isFramed = has('content-length') || has('transfer-encoding')
  const range = readRange(options)
  const body = await openBody(options, { ...reading, isFramed })
  try {
    return {
      method,
      url,
      defaults: [
        ['accept', flag === '--json' ? 'application/json' : '*/*'],
        ['accept-encoding', options.compressed ? 'gzip, br' : 'identity'],
        ['content-type', contentTypeOf(flag)],
        ['range', range],
        ['user-agent', 'svc-auth'],
      ],
      headers: framedHeaders(given, body),
      body,
    }
  } catch (error) {
    await body?.close()
    throw error
  }
}

/** Returns a URL for messages: a query may hold what is nobody else's business. */
export function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname
}

/** Returns a request for messages. */
export function requestLine({ method, url }: Pick<FetchRequest, 'method' | 'url'>): string {
  return `${method} ${shownUrl(url)}`
}

async function readHeaderLines(
  { header = [] }: FetchOptions,
  context: CommandContext,
): Promise<HeaderLines> {
  const { headers, leftOut } = await readHeaders(header, createFileReader(context))
  return [...headers, ...[...leftOut].map((name) => [name, undefined] as const)]
}

function readMethod(options: FetchOptions, flag: BodyFlag | undefined): string {
  const { request: method, head } = options
  if (head && (flag || (method !== undefined && !/^head$/i.test(method)))) {
    throw new UsageError('--head sends HEAD, without a body; leave out --request and the body')
  }
  if (head) return 'HEAD'
  if (method === undefined) {
    if (!flag) return 'GET'
    return flag === '--upload-file' ? 'PUT' : 'POST'
  }
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(method) || /^connect$/i.test(method)) {
    throw new UsageError('--request must be a method such as GET, PUT or DELETE')
  }
  return /^(?:delete|get|head|options|patch|post|put)$/i.test(method)
    ? method.toUpperCase()
    : method
}

/** Returns the URL with the name of the file that is sent, if the path is a folder's, as curl does. */
function uploadUrl(url: URL, { uploadFile }: FetchOptions): URL {
  if (uploadFile === undefined || uploadFile === '-' || !url.pathname.endsWith('/')) return url
  const named = new URL(url)
  named.pathname += encodeURIComponent(basename(uploadFile))
  return named
}

function readRange({ range }: FetchOptions): string | undefined {
  if (range === undefined) return undefined
  if (/^(?:\d+-\d*|-\d+)(?:,\s*(?:\d+-\d*|-\d+))*$/.test(range)) return `bytes=${range}`
  throw new UsageError('--range must be a range such as 0-499, 500- or -500')
}

function contentTypeOf(flag: BodyFlag | undefined): string | undefined {
  if (flag === undefined || flag === '--upload-file') return undefined
  return flag === '--json' ? 'application/json' : 'application/x-www-form-urlencoded'
}

/** Returns the headers without what the body itself says: its length is known, and undici frames it. */
function framedHeaders(given: HeaderLines, body: RequestBody | undefined): HeaderLines {
  const size = body ? body.size : 0
  const length = given.find(([name]) => name === 'content-length')?.[1]
  if (size === undefined) return given.filter(([name]) => name !== 'transfer-encoding')
  if (length !== undefined && length !== String(size)) {
    throw new UsageError(`--header: Content-Length must be the length of the body, ${size}`)
  }
  return given.filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding')
}
