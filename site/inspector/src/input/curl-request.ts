import { withFileName, withoutDotSegments, withQuery, withTarget } from './curl-url.ts'
import { InputError, placeOf } from './input-error.ts'
import {
  bytesOf,
  type HeaderLine,
  headerOf,
  isHttpName,
  type PastedKey,
  type PastedRequest,
  readUrl,
} from './pasted-request.ts'
import type { ShellWord } from './shell-words.ts'

/** The options of a command, before anything is made of them. */
export interface GatheredOptions {
  readonly notes: string[]
  readonly headers: HeaderLine[]
  /** Headers that curl is told to leave out. */
  readonly omitted: Set<string>
  readonly data: string[]
  readonly query: string[]
  readonly secrets: string[]
  method: string | undefined
  url: ShellWord | undefined
  target: string | undefined
  upload: string | undefined
  user: string | undefined
  signing: string | undefined
  isGet: boolean
  isHead: boolean
  isForm: boolean
  isJson: boolean
  isBodyUnknown: boolean
  isPathKept: boolean
  isGlobbing: boolean
}

/** Returns the options of a command that has none. */
export function nothingGathered(): GatheredOptions {
  return {
    notes: [],
    headers: [],
    omitted: new Set(),
    data: [],
    query: [],
    secrets: [],
    method: undefined,
    url: undefined,
    target: undefined,
    upload: undefined,
    user: undefined,
    signing: undefined,
    isGet: false,
    isHead: false,
    isForm: false,
    isJson: false,
    isBodyUnknown: false,
    isPathKept: false,
    isGlobbing: true,
  }
}

/** Returns the request that the options of a command make. */
export function requestOf(options: GatheredOptions, text: string): PastedRequest {
  if (!options.url) throw new InputError('URL', 'the command has no URL.')
  const { line } = placeOf(text, options.url.at)
  const given = options.url.text
  const read = readUrl(/^[a-z]+:\/\//i.test(given) ? given : `http://${given}`, 'URL', line)
  const data = options.data.join(options.isJson ? '' : '&')
  const hasData = options.data.length > 0 && !options.isGet
  const url = urlOf(options, read.url, options.isGet ? data : '')
  const [, host = ''] = /^https?:\/\/([^/?]*)/.exec(url) ?? []
  const headers = [...options.headers]
  const add = (name: string, value: string): void => {
    const isGiven = headerOf(headers, name) !== undefined || options.omitted.has(name)
    if (!isGiven) headers.push([name, value])
  }
  if (headerOf(headers, 'host') === undefined) headers.push(['host', host])
  if (options.isJson) {
    add('content-type', 'application/json')
    add('accept', 'application/json')
  } else if (hasData || (options.isBodyUnknown && options.upload === undefined && !options.isGet)) {
    add('content-type', 'application/x-www-form-urlencoded')
  }
  const isForm = options.isForm || options.isBodyUnknown
  if (options.isForm) {
    options.notes.push(
      'A form (-F) has a boundary that only curl knew, so its body and the hash of it are not known here.',
    )
  }
  const key = keyOf(options, headers, host)
  return {
    method: methodOf(options, hasData),
    url,
    headers,
    body: hasData && !isForm ? bytesOf(data) : undefined,
    isForm,
    secrets: [...read.secrets, ...options.secrets],
    ...(key && { key }),
    notes: [...options.notes, ...read.notes],
  }
}

/** Makes of the URL that was given the one that curl asks for. */
function urlOf(options: GatheredOptions, given: string, data: string): string {
  if (options.isGlobbing && /[[{]/.test(given.replace(/^[a-z]+:\/\/\[[^\]]*\]/, ''))) {
    options.notes.push('curl makes several URLs of one with [ ] or { }; it is read as it stands.')
  }
  const plain = options.isPathKept ? given : withoutDotSegments(given)
  const url = options.upload === undefined ? plain : withFileName(plain, options.upload)
  if (url !== given) {
    options.notes.push(
      'curl changes this path: dot segments go, and the name of the file is added.',
    )
  }
  const whole = withQuery(withQuery(url, options.query.join('&')), data)
  return options.target === undefined ? whole : withTarget(whole, options.target)
}

function methodOf(options: GatheredOptions, hasData: boolean): string {
  const implied = hasData || options.isForm || options.isBodyUnknown ? 'POST' : 'GET'
  const method =
    options.method ?? (options.isHead ? 'HEAD' : options.upload === undefined ? implied : 'PUT')
  if (isHttpName(method)) return method
  throw new InputError('method', 'this is no HTTP method.', 1)
}

/** Takes the key of `--aws-sigv4`, or makes the header of a user and a password. */
function keyOf(
  options: GatheredOptions,
  headers: HeaderLine[],
  host: string,
): Partial<PastedKey> | undefined {
  const user = options.user
  const colon = user?.indexOf(':') ?? -1
  const [name = '', secret = ''] =
    user === undefined || colon < 0 ? [user] : [user.slice(0, colon), user.slice(colon + 1)]
  options.secrets.push(secret, user ?? '')
  if (options.signing === undefined) {
    if (user !== undefined && headerOf(headers, 'authorization') === undefined) {
      headers.push(['authorization', `Basic ${toBase64(user)}`])
      options.secrets.push(toBase64(user))
    }
    return undefined
  }
  options.notes.push(
    'curl signs this request when it sends it; here it is signed by the rules of these packages, so that the signed headers can be others.',
  )
  const labels = host.split('.')
  const [, , region = labels[1] ?? '', service = labels[0] ?? ''] = options.signing.split(':')
  return { accessKeyId: name, secretAccessKey: secret, region, service }
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...bytesOf(text).subarray(0, 10_000)))
}
