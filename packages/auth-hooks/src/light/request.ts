import type { AuthScheme } from '@svc/types'
import { assertLength, type SerializedBody, simpleBody } from '../kernel/body.ts'
import { bodyError } from '../kernel/errors.ts'
import { isFramingHeader } from '../kernel/framing.ts'
import { OutgoingHeaders, withContentType } from '../kernel/headers.ts'
import {
  assertCovered,
  assertNoIntegrity,
  assertNotNoCors,
  type ExchangeRequest,
  readRequestUrl,
  requestLine,
} from '../kernel/request.ts'
import { AuthError } from '../kit/errors.ts'
import { assertNotAborted } from '../kit/async.ts'
import { check, isHttpToken, isRequest, normalizeMethod } from '../kit/checks.ts'

/** Ends the message about what only the full adapter takes. */
export const fullOne = '; authFetch of @svc/auth-hooks takes more'

/** A request as the caller gave it, read once. */
export interface LightRequest extends ExchangeRequest {
  readonly headers: OutgoingHeaders
  readonly body: SerializedBody | undefined
  readonly init: RequestInit
}

export function readLightRequest(
  caller: string,
  scheme: AuthScheme,
  input: string | URL,
  init: RequestInit,
): LightRequest {
  if (isRequest(input)) {
    throw new AuthError('ERR_AUTH_REQUEST', `${caller}: a Request is not taken${fullOne}`)
  }
  const url = readRequestUrl(input, { remedy: 'authFetch(auth, { baseUrl }) of @svc/auth-hooks' })
  const { redirect = 'follow', method = 'GET' } = init
  const signal = init.signal ?? undefined
  check(
    !signal || typeof signal.addEventListener === 'function',
    caller,
    'signal must be an AbortSignal',
  )
  assertNotAborted(signal)
  assertCovered(scheme, url)
  assertNotNoCors(init.mode, url)
  assertNoIntegrity(init.integrity, url)
  check(isHttpToken(method), caller, 'method must be an HTTP method')
  const isMode = redirect === 'follow' || redirect === 'error' || redirect === 'manual'
  check(isMode, caller, "redirect must be 'follow', 'error' or 'manual'")
  const body = readBody(init.body)
  const read: LightRequest = {
    method: normalizeMethod(method),
    url,
    headers: OutgoingHeaders.read(init.headers),
    body,
    signal,
    redirect,
    init: { ...init },
  }
  const announced = read.headers.get('content-length')
  if (announced !== null) assertLength(body, announced, requestLine(read))
  // Every runtime sends the host of the URL and frames the body by itself.
  const headers = read.headers.without((name) => name === 'host' || isFramingHeader(name))
  return { ...read, headers: withContentType(headers, body) }
}

function readBody(source: RequestInit['body']): SerializedBody | undefined {
  if (source === undefined || source === null) return undefined
  const body = simpleBody(source)
  if (body && !body.isPackaged) return body
  throw bodyError(
    `the body is neither text nor bytes, URLSearchParams or a Blob of the runtime${fullOne}`,
  )
}
