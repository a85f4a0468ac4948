import { check } from '@svc/auth-hooks/scheme'
import { attempt, call, field, hasMethod, isStream } from './fields.ts'
import { caller } from './local-evidence.ts'
import { readStream } from './read-stream.ts'
import { type SentRequest, sentRequest } from './sent-request.ts'

/** A refused request, whichever client tells of it. */
export interface Refusal {
  readonly status: number
  readonly header: (name: string) => string | null
  /** Returns the text of the body, and the reasons for which there is none, in sentences. Never rejects. */
  readonly readText: () => Promise<ResponseText>
  /** The URL that a redirect led to; `undefined` if there was none. */
  readonly redirectedTo: string | undefined
  /** The request, if the client keeps it. */
  readonly request: SentRequest | undefined
}

interface ResponseText {
  readonly text: string
  readonly notes: readonly string[]
}

/** The most that is read of a body; that of an error has a few kilobytes. */
const maxBytes = 1024 * 1024

/**
 * Reads a `Response`, or the error or the response of another client. The fields tell them apart, since an
 * error of another copy or another version of a client is just as good.
 *
 * @throws TypeError if there is no response in it.
 */
export function readRefusal(refusal: unknown): Refusal {
  const inner = field(refusal, 'response')
  const response = isHead(inner) ? inner : refusal
  check(
    isHead(response),
    caller,
    `refusal must be a Response, or what a client threw or returned for a response, not ${nameOf(refusal)}`,
  )
  const headers = field(response, 'headers')
  const isRedirected =
    field(response, 'redirected') === true || Number(field(response, 'redirectUrls', 'length')) > 0
  const url = field(response, 'url')
  return {
    status: statusOf(response),
    header: (name) => headerOf(headers, name),
    readText: () => readText(refusal, response),
    redirectedTo: isRedirected && typeof url === 'string' ? url : undefined,
    request: attempt(() => sentRequest(refusal, response)),
  }
}

function statusOf(response: unknown): number {
  const status = field(response, 'status') ?? field(response, 'statusCode')
  return typeof status === 'number' ? status : Number.NaN
}

function isHead(value: unknown): boolean {
  const headers = field(value, 'headers')
  return Number.isInteger(statusOf(value)) && typeof headers === 'object' && headers !== null
}

function headerOf(headers: unknown, name: string): string | null {
  const spelling = attempt(() => Object.keys(Object(headers)))?.find(
    (key) => key.toLowerCase() === name,
  )
  const value = hasMethod(headers, 'get')
    ? call(headers, 'get', name)
    : field(headers, spelling ?? name)
  const text: unknown = typeof value === 'string' ? value : call(value, 'join', ', ')
  return typeof text === 'string' ? text : null
}

function nameOf(value: unknown): string {
  const name = field(value, 'name')
  const isError = attempt(() => value instanceof Error)
  const isLogin = call(field(value, 'code'), 'includes', 'AUTH_LOGIN')
  const what = isLogin
    ? 'of a login that was refused or failed: read its serverMessage'
    : 'without a response'
  if (isError && typeof name === 'string') return `${name} ${what}`
  return value === null ? 'null' : typeof value
}

/** The fields in which clients keep the body of a response once it has been read: got, axios, ofetch, openapi-fetch. */
const bodyFields = ['rawBody', 'data', '_data', 'body', 'error', 'text']

async function readText(refusal: unknown, response: unknown): Promise<ResponseText> {
  const isLocked = field(response, 'body', 'locked') === true
  if (hasMethod(response, 'clone') && field(response, 'bodyUsed') !== true && !isLocked) {
    return readClone(response)
  }
  const kept = [refusal, response].flatMap((holder) =>
    bodyFields.map((name) => field(holder, name)),
  )
  const isXml = headerOf(field(response, 'headers'), 'content-type')?.includes('xml') === true
  for (const value of kept) {
    const text = await textOf(value, isXml).catch(() => undefined)
    if (text !== undefined) return { text: text.slice(0, maxBytes), notes: [] }
  }
  if (headerOf(field(response, 'headers'), 'content-length') === '0') return { text: '', notes: [] }
  const isLeft = !hasMethod(response, 'clone') && [response, ...kept].some(isStream)
  return { text: '', notes: [isLeft ? streamNote : usedNote] }
}

const usedNote =
  'The response body has already been read or is being read, so only the status and headers can be used; call diagnose first, pass a clone (response.clone()), or pass { response, data } with the text that was read.'

const streamNote =
  'The response body is a stream, which is left alone, so only the status and headers can be used; read it, and pass { response, data } with its text.'

/** Returns the text of a body as a client keeps it; `undefined` for anything else. */
async function textOf(value: unknown, isXml: boolean): Promise<string | undefined> {
  if (typeof value === 'string') return value
  const tag = Object.prototype.toString.call(value)
  if (ArrayBuffer.isView(value)) {
    return decode(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  }
  // By tag and not by class, since one of another realm is just as good.
  if (tag === '[object ArrayBuffer]') return decode(new Uint8Array(value as ArrayBuffer))
  if (tag === '[object Blob]') return (await readClone(new Response(value as Blob))).text
  // Parsed, and no XML then. An empty object stands for no body.
  const isParsed = /^\[object (?:Object|Array)\]$/.test(tag) && !isStream(value)
  return isParsed && !isXml && Object.keys(Object(value)).length > 0
    ? JSON.stringify(value)
    : undefined
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, maxBytes))
}

/** Reads a clone of a response, so that the caller can still read it. */
async function readClone(response: unknown): Promise<ResponseText> {
  let text = ''
  const decoder = new TextDecoder()
  const read = (chunk?: Uint8Array<ArrayBuffer>): void => {
    text += decoder.decode(chunk, { stream: chunk !== undefined })
  }
  try {
    // Of this realm, of another, or of a package.
    const copy = (response as Response).clone()
    const { body }: { body: unknown } = copy
    if (body === null) return { text, notes: [] }
    // A runtime without streams has no `body`, and the whole text by then.
    if (body === undefined) return { text: (await copy.text()).slice(0, maxBytes), notes: [] }
    const outcome = await readStream(body, maxBytes, read)
    if (outcome === 'ended') read()
    if (outcome !== 'late' || text !== '') return { text, notes: [] }
  } catch {
    // A connection that broke off, or a reader of somebody else's.
  }
  return { text, notes: text === '' ? ['The response body could not be read.'] : [] }
}
