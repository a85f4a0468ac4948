import { ClientRequest } from 'node:http'
import { inspect } from 'node:util'
import type { AuthScheme } from '@svc/types'
import type { ExchangeSettings } from '../kernel/options.ts'
import { emit } from '../kit/events.ts'

/** The key under which Node keeps headers by name: one symbol for all requests, which only they tell. */
let headersKey: symbol | undefined

/** The outcome of {@link canRedact} for this process. */
let isRedactable: boolean | undefined

/**
 * Hides the headers of a request of `node:http` from what prints or walks it: errors and
 * responses of clients lead to it, and so does the socket of an agent. Node still reads and writes
 * them, by accessors that neither `util.inspect` nor a walk over values calls; once they are sent,
 * `getHeader` and `_header` do not give them. Needs {@link canRedact}.
 *
 * @see https://github.com/nodejs/node/blob/main/lib/_http_outgoing.js
 */
export function redactClientRequest(request: ClientRequest): void {
  const isSent = (): boolean => Reflect.get(request, '_headerSent') === true
  // The head as text, the headers by name, and the bytes that wait for a connection.
  redactProperty(request, '_header', (head) => (isSent() ? firstLine(head) : head))
  if (!headersKey || !Object.hasOwn(request, headersKey)) {
    const symbols = Object.getOwnPropertySymbols(request)
    headersKey = symbols.find(({ description }) => description === 'kOutHeaders')
  }
  if (headersKey) redactProperty(request, headersKey, (headers) => (isSent() ? null : headers))
  redactProperty(request, 'outputData')
  // If a connection fails, its socket keeps the bytes that it was to send first.
  request.once('socket', (socket) => redactProperty(socket, '_pendingData'))
}

/** Tells, by a trial once in a process, if {@link redactClientRequest} does as it says here. */
export function canRedact(): boolean {
  isRedactable ??= tryRedaction((options) => new ClientRequest(options))
  return isRedactable
}

/** Emits an event for an adapter where {@link canRedact} says no. */
export function reportRedaction({ name }: AuthScheme, { onEvent }: ExchangeSettings): void {
  if (!canRedact()) emit(onEvent, () => ({ type: 'redaction.unavailable', scheme: name }))
}

/** Tells if a request hides its headers when redacted. Nothing is sent: the agent of the trial connects to nothing. */
export function tryRedaction(create: (options: object) => ClientRequest): boolean {
  try {
    const request = create({ host: 'redaction.invalid', agent: { addRequest() {} } })
    redactClientRequest(request)
    request.on('error', () => {}).setHeader('x-trial', 'of the trial')
    request.end()
    const isHidden = !inspect(request, { showHidden: true, depth: 3 }).includes('of the trial')
    return isHidden && request.getHeader('x-trial') === undefined
  } catch {
    return false
  }
}

/**
 * Hides the headers of the requests that got makes over HTTP/2, as {@link redactClientRequest} does those
 * of `node:http`: they have them by name, and once more on the stream that carries them.
 */
export function redactHttp2Request(request: ClientRequest): void {
  // By a symbol in got 14 and 15, and by name in got 16.
  redactWhere(request, (key) => (typeof key === 'symbol' ? key.description : key) === 'headers')
  request.once('socket', () => {
    for (const stream of Object.values(request)) {
      if (typeof stream !== 'object' || stream === null || !('sentHeaders' in stream)) continue
      const { sentHeaders } = stream
      redactWhere(stream, (_key, value) => value === sentHeaders)
    }
  })
}

/** Replaces a property with an accessor, which returns the value that `shown` makes of it. */
function redactProperty(
  holder: object,
  key: string | symbol,
  shown: (value: unknown) => unknown = (value) => value,
): void {
  const property = Object.getOwnPropertyDescriptor(holder, key)
  if (!property?.configurable || !('value' in property)) return
  let value: unknown = property.value
  Object.defineProperty(holder, key, {
    configurable: true,
    enumerable: false,
    get: () => shown(value),
    set(next: unknown) {
      value = next
    },
  })
}

function redactWhere(
  holder: object,
  isHidden: (key: string | symbol, value: unknown) => boolean,
): void {
  for (const key of Reflect.ownKeys(holder)) {
    const value: unknown = Object.getOwnPropertyDescriptor(holder, key)?.value
    if (isHidden(key, value)) redactProperty(holder, key)
  }
}

// Node still asks if there is a head.
function firstLine(head: unknown): unknown {
  return typeof head === 'string' ? head.slice(0, head.indexOf('\r\n') + 2) : head
}
