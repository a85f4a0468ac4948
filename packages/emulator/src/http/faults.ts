import { checksOf } from '../checks.ts'
import { type RawRequest, splitTarget } from './request.ts'
import { type EmulatorResponse, emptyResponse } from './response.ts'

/**
 * Something that goes wrong on purpose, before authentication, as a proxy or a firewall would cause
 * it.
 *
 * @example
 * import { createEmulator, type Fault } from '@svc/emulator'
 *
 * const busy: Fault = { path: '/user/groups', times: 1, status: 503, headers: { 'retry-after': '2' } }
 * createEmulator().fault(busy)
 */
export type Fault = FaultMatch & FaultEffect

/** The requests that a fault applies to, and their number. */
export interface FaultMatch {
  /**
   * The path exactly as on the request line, or a pattern for it.
   * @default every path
   */
  readonly path?: string | RegExp
  /**
   * The method, in any case.
   * @default every method
   */
  readonly method?: string
  /**
   * The number of matching requests it applies to: a positive integer.
   * @default all of them
   */
  readonly times?: number
}

/** The effect of a fault; exactly one of these. */
export type FaultEffect =
  | {
      /** Responds with this status. */
      readonly status: number
      /**
       * Headers of the response, by name.
       * @default none
       */
      readonly headers?: Readonly<Record<string, string>>
      /**
       * The body of the response.
       * @default empty
       */
      readonly body?: string | Uint8Array
    }
  | {
      /** Responds 200 with exactly this body, to send malformed responses. */
      readonly body: string | Uint8Array
      /**
       * Headers of the response, by name.
       * @default none
       */
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      /** Waits this many milliseconds, in real time, then continues as usual. */
      readonly latencyMs: number
    }
  | {
      /** Closes the connection without a response; in process, `fetch` rejects with a `TypeError`. */
      readonly drop: true
    }
  | {
      /** Puts the server's clock ahead by this many milliseconds, for all it verifies and for `Date`. */
      readonly skewMs: number
    }
  | {
      /** Responds with a redirect. */
      readonly redirect: {
        /** The `location` of the response. */
        readonly to: string | URL
        /**
         * The status of the response.
         * @default `307`
         */
        readonly status?: number
      }
    }

/** The faults that are active. */
export interface FaultList {
  add(fault: Fault): { clear(): void }
  /** Returns the step of the first fault that matches this request, and uses up one of its times. */
  take(request: RawRequest): FaultStep | undefined
  clear(): void
}

/** One fault applied to one request, ready to be carried out. */
export type FaultStep =
  | { readonly kind: 'respond'; readonly response: EmulatorResponse }
  | { readonly kind: 'wait'; readonly latencyMs: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'skew'; readonly skewMs: number }

interface ActiveFault {
  readonly matches: (request: RawRequest) => boolean
  readonly step: FaultStep
  timesLeft: number
}

/** Creates an empty list of faults. */
export function createFaultList(): FaultList {
  let active: readonly ActiveFault[] = []
  return {
    add(fault) {
      checks.names<FaultMatch & EffectFields>(fault, 'it', faultNames)
      const { times = Number.POSITIVE_INFINITY } = fault
      if (times !== Number.POSITIVE_INFINITY) checks.count(times, 'times')
      const added: ActiveFault = {
        matches: readMatch(fault),
        step: readEffect(fault),
        timesLeft: times,
      }
      active = [...active, added]
      return {
        clear() {
          active = active.filter((candidate) => candidate !== added)
        },
      }
    },
    take(request) {
      const found = active.find((fault) => fault.matches(request))
      if (found === undefined) return undefined
      found.timesLeft -= 1
      if (found.timesLeft === 0) active = active.filter((candidate) => candidate !== found)
      return found.step
    },
    clear() {
      active = []
    },
  }
}

const checks = checksOf('fault')
const effectNames = ['status', 'body', 'latencyMs', 'drop', 'skewMs', 'redirect'] as const
const faultNames = {
  path: 1,
  method: 1,
  times: 1,
  status: 1,
  headers: 1,
  body: 1,
  latencyMs: 1,
  drop: 1,
  skewMs: 1,
  redirect: 1,
}

function readMatch(fault: Fault): ActiveFault['matches'] {
  const { path, method } = fault
  checks.that(
    path === undefined ||
      path instanceof RegExp ||
      (typeof path === 'string' && !path.includes('?')),
    'path',
    'must be a path without a query, or a RegExp',
  )
  if (method !== undefined) checks.text(method, 'method')
  // A global or sticky pattern remembers its last match, and would match every other request.
  const pattern =
    path instanceof RegExp ? new RegExp(path.source, path.flags.replace(/[gy]/g, '')) : undefined
  const wantedMethod = method?.toUpperCase()
  return (request) => {
    const requestPath = splitTarget(request.target).path
    if (wantedMethod !== undefined && request.method.toUpperCase() !== wantedMethod) return false
    if (pattern !== undefined) return pattern.test(requestPath)
    return path === undefined || requestPath === path
  }
}

/** The fields of every effect, each of which may be absent. */
interface EffectFields {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly latencyMs?: number
  readonly drop?: boolean
  readonly skewMs?: number
  readonly redirect?: { readonly to: string | URL; readonly status?: number }
}

function readEffect(fault: EffectFields): FaultStep {
  const { status, headers, body, latencyMs, drop, skewMs, redirect } = fault
  const given = effectNames.filter((name) => Reflect.get(fault, name) !== undefined)
  const isOne = given.length === 1 || given.join() === 'status,body'
  checks.that(
    isOne,
    given.join(' and ') || 'nothing',
    `given, but exactly one of ${effectNames.join(', ')} is needed`,
  )
  checks.that(
    headers === undefined || status !== undefined || body !== undefined,
    'headers',
    'must come with a status or a body',
  )
  if (drop !== undefined) {
    checks.oneOf(drop, 'drop', [true])
    return { kind: 'drop' }
  }
  if (latencyMs !== undefined) {
    checks.that(
      typeof latencyMs === 'number' && latencyMs >= 0 && latencyMs < 2 ** 31,
      'latencyMs',
      'must be at least 0 and below 2 ** 31',
    )
    return { kind: 'wait', latencyMs }
  }
  if (skewMs !== undefined) {
    checks.that(
      typeof skewMs === 'number' && Math.abs(skewMs) <= maxSkewMs,
      'skewMs',
      'must be a number of milliseconds, at most a hundred years',
    )
    return { kind: 'skew', skewMs }
  }
  return {
    kind: 'respond',
    response: redirect === undefined ? readResponse(fault) : readRedirect(redirect),
  }
}

// Beyond it the clock would leave the range of `Date`.
const maxSkewMs = 3_155_760_000_000

function readRedirect(redirect: NonNullable<EffectFields['redirect']>): EmulatorResponse {
  checks.names(redirect, 'redirect', { to: 1, status: 1 })
  const { to, status = 307 } = redirect
  checks.that(
    to instanceof URL || (typeof to === 'string' && to !== '' && isHeaderValue(to)),
    'redirect.to',
    'must be a URL',
  )
  checks.that(isStatus(status, 300, 399), 'redirect.status', 'must be an integer from 300 to 399')
  return emptyResponse(status, { location: String(to) })
}

function readResponse({ status = 200, headers = {}, body = '' }: EffectFields): EmulatorResponse {
  checks.that(isStatus(status, 200, 599), 'status', 'must be an integer from 200 to 599')
  checks.object(headers, 'headers')
  const entries = Object.entries(headers)
  for (const [name, value] of entries) {
    checks.that(
      /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && isHeaderValue(value),
      `headers["${name}"]`,
      'must be a valid header',
    )
  }
  checks.that(
    typeof body === 'string' || body instanceof Uint8Array,
    'body',
    'must be a string or a Uint8Array',
  )
  return {
    status,
    // `Headers` turns names to lower case.
    headers: Object.fromEntries(new Headers(entries)),
    body: typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body),
  }
}

function isStatus(value: unknown, from: number, to: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to
}

// Those that every transport takes.
function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
