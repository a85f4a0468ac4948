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
      assertFault(typeof fault === 'object' && fault !== null, 'it', 'must be an object')
      const times = fault.times ?? Number.POSITIVE_INFINITY
      assertFault(
        times === Number.POSITIVE_INFINITY || (Number.isSafeInteger(times) && times > 0),
        'times',
        'must be a positive integer',
      )
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

function readMatch(fault: Fault): ActiveFault['matches'] {
  const { path, method } = fault
  assertFault(
    path === undefined || typeof path === 'string' || path instanceof RegExp,
    'path',
    'must be a string or a RegExp',
  )
  assertFault(method === undefined || typeof method === 'string', 'method', 'must be a string')
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

const effects = ['status', 'body', 'latencyMs', 'drop', 'skewMs', 'redirect'] as const

function readEffect(fault: Fault): FaultStep {
  const given = effects.filter((effect) => effect in fault)
  const isOne = given.length === 1 || given.join() === 'status,body'
  assertFault(
    isOne,
    given.join(' and ') || 'nothing',
    `given, but exactly one of ${effects.join(', ')} is needed`,
  )
  if ('drop' in fault) {
    assertFault(fault.drop, 'drop', 'must be true')
    return { kind: 'drop' }
  }
  if ('latencyMs' in fault) {
    assertFault(
      fault.latencyMs >= 0 && fault.latencyMs < 2 ** 31,
      'latencyMs',
      'must be at least 0 and below 2 ** 31',
    )
    return { kind: 'wait', latencyMs: fault.latencyMs }
  }
  if ('skewMs' in fault) {
    assertFault(Number.isFinite(fault.skewMs), 'skewMs', 'must be a number')
    return { kind: 'skew', skewMs: fault.skewMs }
  }
  if ('redirect' in fault) {
    assertFault(Boolean(fault.redirect?.to), 'redirect.to', 'must be a URL')
    const { to, status = 307 } = fault.redirect
    assertFault(status >= 300 && status <= 399, 'redirect.status', 'must be from 300 to 399')
    const headers = normalizedHeaders({ location: String(to) })
    return { kind: 'respond', response: emptyResponse(status, headers) }
  }
  const { status, headers = {}, body = '' } = { status: 200, ...fault }
  assertFault(
    Number.isInteger(status) && status >= 200 && status <= 599,
    'status',
    'must be an integer from 200 to 599',
  )
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  return {
    kind: 'respond',
    response: { status, headers: normalizedHeaders(headers), body: bytes },
  }
}

// `Headers` turns names to lower case, and throws a `TypeError` on an invalid name or value.
function normalizedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(new Headers(headers))
}

function assertFault(condition: boolean, field: string, problem: string): void {
  if (!condition) throw new TypeError(`[@svc/emulator] fault: ${field} ${problem}`)
}
