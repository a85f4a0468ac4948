import { basename } from 'node:path'
import type { Lists, Switches, Texts } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../exit.ts'
import { createFileReader, type ReadFile } from '../../request/files.ts'
import { readHeaders } from '../../request/headers.ts'
import { checkMethod, readData } from '../../request/request.ts'
import { resolveUrl, type ServiceUrl } from '../../request/url.ts'
import type { Service } from '../../service.ts'
import type { Progress } from './progress.ts'
import { openUpload, type RequestBody } from './upload.ts'

/** Values of the options of `fetch`. */
export type FetchOptions = Texts<'request' | 'uploadFile' | 'output' | 'range' | 'maxTime'> &
  Lists<'header' | 'data' | 'dataBinary' | 'dataRaw' | 'json'> &
  Switches<'remoteName' | 'include' | 'head' | 'fail' | 'silent' | 'showError' | 'verbose'>

/** Headers to send, by their names in lower case; `undefined` leaves out one that is sent by default. */
type HeaderLines = readonly (readonly [name: string, value: string | undefined])[]

/** A request as the command line has it. */
export interface FetchRequest extends ServiceUrl {
  readonly method: string
  /** The headers that the flags ask for, with those of the user in their places. */
  readonly headers: HeaderLines
  readonly body: RequestBody | undefined
}

/** A call of the command. */
export interface Call {
  readonly service: Service
  readonly request: FetchRequest
  readonly options: FetchOptions
  /** Its signal is also that of `--max-time`. */
  readonly context: CommandContext
  readonly progress: Progress
}

/** Reads the request of a command line, and opens its body. */
export async function readRequest(
  path: string,
  options: FetchOptions,
  baseUrl: string,
  context: CommandContext,
  progress: Progress,
): Promise<FetchRequest> {
  const flag = findBodyFlag(options)
  const method = await readMethod(options, flag)
  const { url, needsToken } = await resolveUrl(path, baseUrl)
  const readFile = createFileReader(context)
  const given = await readHeaders(options.header ?? [], readFile)
  const isFramed = given.has('content-length') || given.has('transfer-encoding')
  const defaults: HeaderLines = [
    ['accept', flag === '--json' ? 'application/json' : '*/*'],
    ['accept-encoding', 'identity'],
    ['content-type', contentTypeOf(flag)],
    ['range', readRange(options)],
    ['user-agent', 'svc-auth'],
  ]
  const body =
    options.uploadFile === undefined
      ? await readBody(options, flag, readFile)
      : await openUpload(options.uploadFile, context, isFramed, progress)
  try {
    const own = defaults.filter(([name]) => !given.has(name))
    const headers = [...own, ...framedHeaders([...given], body)]
    return { method, url: uploadUrl(url, options), needsToken, headers, body }
  } catch (error) {
    await body?.close()
    throw error
  }
}

/** Returns a URL for messages: a query may hold a secret. */
export function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname
}

/** Returns a request for messages. */
export function requestLine({ method, url }: Pick<FetchRequest, 'method' | 'url'>): string {
  return `${method} ${shownUrl(url)}`
}

/** The flags that give a body, of which a request has one. */
const bodyFlags = [
  ['data', '--data'],
  ['dataBinary', '--data-binary'],
  ['dataRaw', '--data-raw'],
  ['json', '--json'],
  ['uploadFile', '--upload-file'],
] as const

type BodyFlag = (typeof bodyFlags)[number][1]

/** Returns the flag that gives the body, if there is one. */
function findBodyFlag(options: FetchOptions): BodyFlag | undefined {
  const [flag, ...others] = bodyFlags.filter(([name]) => options[name] !== undefined)
  if (others.length > 0) {
    const flags = bodyFlags.map(([, name]) => name).join(', ')
    throw new UsageError(`only one of ${flags} can give the body`)
  }
  if (options.uploadFile === '-' && options.header?.includes('@-')) {
    throw new UsageError('standard input can be read only once; give a file for --header')
  }
  return flag?.[1]
}

/** Reads the body that `--data` or `--json` gives into memory; `undefined` if there is none. */
async function readBody(
  { json, dataRaw, dataBinary, data }: FetchOptions,
  flag: BodyFlag | undefined,
  readFile: ReadFile,
): Promise<RequestBody | undefined> {
  const parts = json ?? dataBinary ?? data
  if (flag === undefined || !(dataRaw ?? parts)) return undefined
  const pieces: Uint8Array[] = []
  for (const part of parts ?? []) {
    if (pieces.length > 0 && flag !== '--json') pieces.push(Buffer.from('&'))
    pieces.push((await readData(flag, part, readFile)).bytes)
  }
  const content = dataRaw ? Buffer.from(dataRaw.join('&')) : Buffer.concat(pieces)
  return { content, size: content.byteLength, close: async () => {} }
}

async function readMethod(
  { request, head }: FetchOptions,
  flag: BodyFlag | undefined,
): Promise<string> {
  if (head && (flag || (request !== undefined && !/^head$/i.test(request)))) {
    throw new UsageError('--head sends HEAD, without a body; leave out --request and the body')
  }
  if (head) return 'HEAD'
  const withBody = flag === '--upload-file' ? 'PUT' : 'POST'
  return checkMethod(request ?? (flag ? withBody : 'GET'))
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
