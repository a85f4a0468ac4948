import type { AuthScheme } from '@svc/types'
import { assertUnused } from '#platform'
import { platform } from '#axios-platform'
import type { InternalAxiosRequestConfig } from 'axios'
import { countedBody, type BodySource, serializeBody, type SerializedBody } from '../kernel/body.ts'
import { readFraming } from '../kernel/framing.ts'
import { OutgoingHeaders } from '../kernel/headers.ts'
import {
  assertSendable,
  type ExchangeRequest,
  readRequestUrl,
  requestLine,
} from '../kernel/request.ts'
import { chain, type MaybePromise } from '../kit/async.ts'
import { headerLines } from '../node/response.ts'
import type { AdapterName, AxiosLibrary } from './library.ts'
import type { AxiosPlatform, NodeStream } from './platform.ts'

/** A request of axios', read once, after all that may change it. */
export interface AxiosRequest extends ExchangeRequest {
  readonly body: SerializedBody | undefined
}

type Header = [name: string, value: string]

/** Reads a request that axios is about to send. Only the length of a form has to be waited for. */
export function readAxiosRequest(
  scheme: AuthScheme,
  axios: AxiosLibrary,
  adapterName: AdapterName,
  config: InternalAxiosRequestConfig,
  signal: AbortSignal | undefined,
): MaybePromise<AxiosRequest> {
  const remedy = 'axios.create({ baseURL })'
  const url = readRequestUrl(addressOf(axios, config), undefined, remedy)
  const { mode, integrity } = config.fetchOptions ?? {}
  assertSendable(scheme, url, mode, integrity)
  const given = OutgoingHeaders.read([
    ...headerLines(Object.entries(config.headers).filter(([, value]) => !isAbsent(value))),
    ...basicAuthorization(config),
  ])
  const suppressed = suppressedHeaders(config.headers)
  const method = (config.method ?? 'get').toUpperCase()
  const line = requestLine({ method, url })
  return chain(readAxiosBody(config, given, adapterName, line), (read): AxiosRequest => {
    const { body, headers } = readFraming(read.body, given, line)
    return {
      method,
      url,
      signal,
      body,
      headers: headers.with([
        // A signature covers the host of the URL.
        ['host', null],
        ...read.headers.filter(([name]) => !(name.toLowerCase() in suppressed)),
      ]),
      redirect: redirectOf(config),
    }
  })
}

/** Returns the headers that the caller has told axios not to add, in lower case. */
export function suppressedHeaders(headers: object): Record<string, false> {
  if (!Object.values(headers).includes(false)) return {}
  const names = Object.entries(headers).filter(([, value]) => value === false)
  return Object.fromEntries(names.map(([name]) => [name.toLowerCase(), false]))
}

/** Returns the address of a request: `baseURL`, `url` and `params` as axios itself joins them. */
function addressOf({ Axios }: AxiosLibrary, config: InternalAxiosRequestConfig): string {
  const { url = '', baseURL, params, paramsSerializer, allowAbsoluteUrls, socketPath } = config
  if (baseURL === undefined && params === undefined && !socketPath) return url
  // Without defaults: those of the caller's instance are in the configuration already.
  const address = new Axios({}).getUri({
    url,
    params,
    ...(baseURL !== undefined && { baseURL }),
    ...(paramsSerializer !== undefined && { paramsSerializer }),
    ...(allowAbsoluteUrls !== undefined && { allowAbsoluteUrls }),
  })
  // To a socket of the file system a path is address enough.
  return socketPath ? new URL(address, 'http://localhost').href : address
}

function isAbsent(value: unknown): boolean {
  return value === false || value === null || value === undefined
}

function basicAuthorization({ auth }: InternalAxiosRequestConfig): Header[] {
  if (!auth) return []
  const bytes = new TextEncoder().encode(`${auth.username || ''}:${auth.password || ''}`)
  return [['authorization', `Basic ${btoa(String.fromCodePoint(...bytes))}`]]
}

function redirectOf(config: InternalAxiosRequestConfig): ExchangeRequest['redirect'] {
  const asked: unknown = config.fetchOptions?.redirect
  if (config.maxRedirects === 0 || asked === 'manual') return 'manual'
  return asked === 'error' ? 'error' : 'follow'
}

interface AxiosBody {
  readonly body: SerializedBody | undefined
  /** The headers that axios' adapter would derive from it. */
  readonly headers: readonly Header[]
}

/** Serialises a body once. */
function readAxiosBody(
  config: InternalAxiosRequestConfig,
  given: OutgoingHeaders,
  adapterName: AdapterName,
  line: string,
): MaybePromise<AxiosBody> {
  const data: unknown = config.data
  if (data === undefined || data === null) return { body: undefined, headers: [] }
  assertUnused(data)
  if (platform && isNodeStream(data)) {
    return isPackagedForm(data)
      ? readPackagedForm(platform, data, config.formDataHeaderPolicy === 'content-only', line)
      : { body: platform.streamBody(data), headers: [] }
  }
  // It tells values apart by their tag, and takes the text of those that it does not know.
  const body = serializeBody(data as BodySource)
  const contentType = contentTypeOf(data, body, given, adapterName)
  return { body, headers: contentType ? [['content-type', contentType]] : [] }
}

function contentTypeOf(
  data: unknown,
  { size, contentType }: SerializedBody,
  given: OutgoingHeaders,
  adapterName: AdapterName,
): string | undefined {
  const tag = Object.prototype.toString.call(data)
  // A content type that was given knows nothing of the boundary.
  if (tag === '[object FormData]') return contentType
  if (adapterName !== 'http') return given.has('content-type') ? undefined : contentType
  const isFile = tag === '[object Blob]' || tag === '[object File]'
  return isFile && size ? (contentType ?? 'application/octet-stream') : undefined
}

/** A form of the package form-data, which axios itself makes of an object on Node. */
interface PackagedForm extends NodeStream {
  getHeaders(): Record<string, string>
  getLength(callback: (error: Error | null, length: number) => void): void
  getBuffer(): Uint8Array<ArrayBuffer>
}

/** Tells if a body is a stream of Node's, by the same sign as axios itself. */
export function isNodeStream(data: unknown): data is NodeStream {
  return typeof data === 'object' && data !== null && 'pipe' in data
}

/** Tells if a stream is a form of the package form-data. */
function isPackagedForm(data: NodeStream): data is PackagedForm {
  return 'getHeaders' in data && 'getLength' in data && 'getBuffer' in data
}

/** Reads a form: as bytes if there is no stream in it, else as the stream that it is. */
async function readPackagedForm(
  node: AxiosPlatform,
  form: PackagedForm,
  contentOnly: boolean,
  line: string,
): Promise<AxiosBody> {
  const headers = Object.entries(form.getHeaders()).filter(
    ([name]) => !contentOnly || /^content-(?:length|type)$/i.test(name),
  )
  try {
    return { body: serializeBody(form.getBuffer()), headers }
  } catch {
    // There is a stream among its parts.
  }
  const size = await new Promise<number | undefined>((resolve) => {
    form.getLength((error, length) => resolve(error ? undefined : length))
  })
  const body = node.streamBody(form)
  return { body: size === undefined ? body : countedBody(body, `${size}`, line), headers }
}
