import { type RawRequest, splitTarget } from './request.ts'
import { type Answer, emptyAnswer } from './response.ts'

/** What a fault does to one request, ready to be done. */
export type FaultStep =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'wait'; readonly latencyMs: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'skew'; readonly skewMs: number }

/** The faults that are active. */
export interface FaultList {
  add(fault: Fault): { clear(): void }
  /** The first fault that meets this request, one of its times used up. */
  take(request: RawRequest): FaultStep | undefined
  clear(): void
}

interface ActiveFault {
  readonly meets: (request: RawRequest) => boolean
  readonly step: FaultStep
  timesLeft: number
}

/** A list of faults with nothing in it. */
export function createFaultList(): FaultList {
  let active: readonly ActiveFault[] = []
  return {
    add(fault) {
      check(typeof fault === 'object' && fault !== null, 'it', 'must be an object')
      const times = fault.times ?? Number.POSITIVE_INFINITY
      check(
        times === Number.POSITIVE_INFINITY || (Number.isSafeInteger(times) && times > 0),
        'times',
        'must be a positive integer',
      )
      const added: ActiveFault = { meets: matcher(fault), step: readStep(fault), timesLeft: times }
      active = [...active, added]
      return {
        clear() {
          active = active.filter((candidate) => candidate !== added)
        },
      }
    },
    take(request) {
      const found = active.find((fault) => fault.meets(request))
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

function matcher(fault: Fault): ActiveFault['meets'] {
  const { path, method } = fault
  check(
    path === undefined || typeof path === 'string' || path instanceof RegExp,
    'path',
    'must be a string or a RegExp',
  )
  check(method === undefined || typeof method === 'string', 'method', 'must be a string')
  // A global or sticky pattern remembers where it stopped, and would meet every other request.
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

function readStep(fault: Fault): FaultStep {
  const given = effects.filter((effect) => effect in fault)
  const isOne = given.length === 1 || given.join() === 'status,body'
  check(
    isOne,
    given.join(' and ') || 'nothing',
    `given, but exactly one of ${effects.join(', ')} is needed`,
  )
  if ('drop' in fault) {
    check(fault.drop, 'drop', 'must be true')
    return { kind: 'drop' }
  }
  if ('latencyMs' in fault) {
    check(
      fault.latencyMs >= 0 && fault.latencyMs < 2 ** 31,
      'latencyMs',
      'must be at least 0 and below 2 ** 31',
    )
    return { kind: 'wait', latencyMs: fault.latencyMs }
  }
  if ('skewMs' in fault) {
    check(Number.isFinite(fault.skewMs), 'skewMs', 'must be a number')
    return { kind: 'skew', skewMs: fault.skewMs }
  }
  if ('redirect' in fault) {
    check(Boolean(fault.redirect?.to), 'redirect.to', 'must be a URL')
    const { to, status = 307 } = fault.redirect
    check(status >= 300 && status <= 399, 'redirect.status', 'must be from 300 to 399')
    return { kind: 'answer', answer: emptyAnswer(status, readHeaders({ location: String(to) })) }
  }
  const { status, headers = {}, body = '' } = { status: 200, ...fault }
  check(
    Number.isInteger(status) && status >= 200 && status <= 599,
    'status',
    'must be an integer from 200 to 599',
  )
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  return { kind: 'answer', answer: { status, headers: readHeaders(headers), body: bytes } }
}

/** Lower-case names; throws the `TypeError` of `Headers` on what is no header. */
function readHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(new Headers(headers))
}

function check(condition: boolean, option: string, complaint: string): void {
  if (!condition) throw new TypeError(`[@svc/emulator] fault: ${option} ${complaint}`)
}

/** Which requests a fault applies to, and how often. */
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
   * How many matching requests it applies to: a positive integer.
   * @default all of them
   */
  readonly times?: number
}

/** What a fault does; exactly one of these. */
export type FaultEffect =
  | {
      /** Answers with this status. */
      readonly status: number
      /**
       * Headers of the answer, by name.
       * @default none
       */
      readonly headers?: Readonly<Record<string, string>>
      /**
       * The body of the answer.
       * @default empty
       */
      readonly body?: string | Uint8Array
    }
  | {
      /** Answers 200 with exactly this body, to send malformed answers. */
      readonly body: string | Uint8Array
      /**
       * Headers of the answer, by name.
       * @default none
       */
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      /** Waits this many milliseconds, in real time, then continues as usual. */
      readonly latencyMs: number
    }
  | {
      /** Closes the connection without an answer; in process, `fetch` rejects with a `TypeError`. */
      readonly drop: true
    }
  | {
      /** Puts the server's clock ahead by this many milliseconds, for what it verifies and for `Date`. */
      readonly skewMs: number
    }
  | {
      /** Answers with a redirect. */
      readonly redirect: {
        /** The `location` of the answer. */
        readonly to: string | URL
        /**
         * The status of the answer.
         * @default `307`
         */
        readonly status?: number
      }
    }

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
