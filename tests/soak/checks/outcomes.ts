import type { LoginFault, OperationFault } from '../plan/fault.ts'
import {
  accountOf,
  type ClientName,
  isSentOnce,
  needsSignature,
  needsToken,
  type Operation,
} from '../plan/operation.ts'
import type { OperationResult } from '../traffic/perform.ts'
import type { Unrest } from './unrest.ts'

/** The operations that came to what they may not come to. */
export function wrongOutcomes(results: readonly OperationResult[], unrest: Unrest): string[] {
  return results.flatMap(({ operation, outcome, stack = '' }) => {
    const allowed = allowedOutcomes(operation, unrest)
    if (allowed.has(outcome)) return []
    const instead = [...allowed].join(' or ')
    return [`${outcome}, and not ${instead}: ${JSON.stringify(operation)}\n${stack}`]
  })
}

/** Every outcome that an operation may have in a round with so much unrest. Anything else is a fault. */
function allowedOutcomes(operation: Operation, unrest: Unrest): ReadonlySet<string> {
  const { kind, fault, end } = operation
  const allowed = new Set<string>(ownOutcomes(operation))
  // A call given up ahead never gets to the service, and neither does one that no scheme covers.
  if (end?.by === 'abort ahead' || kind === 'uncovered') return allowed
  if (kind === 'revoke' || kind === 'invalidate') return allowed

  const isOnce = isSentOnce(operation)
  if (needsToken(operation)) {
    const causes = unrest.tokens[accountOf(operation.session)]
    if (unrest.logins !== 'none') for (const code of loginOutcomes[unrest.logins]) allowed.add(code)
    // Two tokens may be refused one after the other, and one whose login fails is not replaced.
    const isUnrestful = causes >= 2 || (causes >= 1 && (isOnce || unrest.logins !== 'none'))
    if (fault === 'refused' || isUnrestful) allowed.add('status 401')
  }
  if (!needsSignature(operation)) return allowed
  // The first attempt may be signed with a wrong clock, and so may the second where there is more of it.
  const isTriedOnce = isOnce || kind.endsWith('by link')
  if (unrest.signatures >= (isTriedOnce ? 1 : 2)) allowed.add('status 403')
  // Others may spoil the clock in just the way that suits a skew, or correct it before a second attempt.
  const isRefused = ['forbidden', 'skewed', 'skewed twice'].includes(fault)
  if (isRefused && unrest.signatures >= 2) allowed.add('accepted')
  return allowed
}

function ownOutcomes(operation: Operation): readonly string[] {
  const { kind, fault, end, client, retries } = operation
  if (end?.by === 'abort ahead') return [failures[client].aborted]
  if (kind === 'uncovered') return ['ERR_AUTH_ORIGIN']
  // undici's own interceptor follows, and what it sends then is a request like any other.
  if (kind === 'put, sent astray') {
    return [client === 'undici' ? 'ERR_AUTH_ORIGIN' : 'ERR_AUTH_REDIRECT']
  }
  if (kind === 'put, source fails') return ['source failed']
  if (kind === 'put, source stalls') return [failures[client].aborted]
  const isOnce = isSentOnce(operation)
  const own = failures[client]
  const byFault: Readonly<Record<OperationFault, readonly string[]>> = {
    none: ['accepted'],
    slow: ['accepted'],
    refused: kind === 'post with token' && !isOnce ? ['accepted'] : ['status 401'],
    forbidden: ['status 403'],
    throttled: ['status 429'],
    busy: [retries > 0 ? 'accepted' : 'status 503'],
    broken: ['status 500'],
    dropped: [own.network],
    truncated: [own.truncated, ...(operation.body && own.reset ? [own.reset] : [])],
    undecodable: [own.undecodable],
    skewed: ['status 403'],
    'skewed twice': [isOnce ? 'status 403' : 'accepted'],
    silent: [end?.by === 'timeout' ? own.timedOut : own.aborted],
  }
  return byFault[fault]
}

/** The outcomes that callers are told of a login that meets a fault. */
const loginOutcomes: Readonly<Record<LoginFault, readonly string[]>> = {
  none: [],
  slow: [],
  refused: ['ERR_AUTH_LOGIN_REFUSED'],
  forbidden: ['ERR_AUTH_LOGIN_REFUSED'],
  throttled: ['ERR_AUTH_LOGIN_REFUSED'],
  busy: ['ERR_AUTH_LOGIN_REFUSED'],
  broken: ['ERR_AUTH_LOGIN_REFUSED'],
  dropped: ['ERR_AUTH_LOGIN_NETWORK'],
  redirected: ['ERR_AUTH_LOGIN_REDIRECT'],
  'not json': ['ERR_AUTH_LOGIN_NOT_JSON'],
  'no token': ['ERR_AUTH_LOGIN_NO_TOKEN'],
  'bad token': ['ERR_AUTH_LOGIN_BAD_TOKEN'],
  'too large': ['ERR_AUTH_LOGIN_TOO_LARGE'],
  silent: ['ERR_AUTH_LOGIN_TIMEOUT'],
}

interface Failures {
  readonly aborted: string
  readonly timedOut: string
  readonly network: string
  readonly truncated: string
  readonly undecodable: string
  /** A response that breaks off while the body is written: the kernel resets the connection, and some see that first. */
  readonly reset?: string
}

/** An outcome in one word, where it is how this client says it. */
export function plainOutcome({ client }: Operation, outcome: string): string {
  const found = Object.entries(failures[client]).find(([, own]) => own === outcome)
  return found?.[0] ?? outcome
}

const tooShort = 'ResponseContentLengthMismatchError UND_ERR_RES_CONTENT_LENGTH_MISMATCH'

/** The words of each client for a request without a response: its own error, and what led to it. */
const failures: Readonly<Record<ClientName, Failures>> = {
  fetch: {
    aborted: 'AbortError 20',
    timedOut: 'TimeoutError 23',
    network: 'TypeError < SocketError UND_ERR_SOCKET',
    truncated: `TypeError < ${tooShort}`,
    undecodable: 'TypeError < Error Z_DATA_ERROR',
  },
  ky: {
    aborted: 'AbortError 20',
    timedOut: 'TimeoutError',
    network: 'NetworkError < TypeError < SocketError UND_ERR_SOCKET',
    truncated: `TypeError < ${tooShort}`,
    undecodable: 'TypeError < Error Z_DATA_ERROR',
  },
  'axios http': {
    aborted: 'CanceledError ERR_CANCELED',
    timedOut: 'AxiosError ECONNABORTED',
    network: 'Error ECONNRESET < Error ECONNRESET',
    truncated: 'AxiosError ERR_BAD_RESPONSE',
    undecodable: 'Error Z_DATA_ERROR < Error Z_DATA_ERROR',
  },
  'axios fetch': {
    aborted: 'CanceledError ERR_CANCELED',
    timedOut: 'AxiosError ECONNABORTED',
    network: 'AxiosError ERR_NETWORK < SocketError UND_ERR_SOCKET',
    truncated: `TypeError < TypeError < ${tooShort}`,
    undecodable: 'TypeError < TypeError < Error Z_DATA_ERROR',
  },
  got: {
    aborted: 'AbortError ERR_ABORTED < AbortError 20',
    timedOut: 'TimeoutError ETIMEDOUT < TimeoutError ETIMEDOUT',
    network: 'RequestError ECONNRESET < Error ECONNRESET',
    truncated:
      'ReadError ERR_HTTP_CONTENT_LENGTH_MISMATCH < Error ERR_HTTP_CONTENT_LENGTH_MISMATCH',
    undecodable: 'ReadError ERR_READING_RESPONSE_STREAM < Error Z_DATA_ERROR',
    reset: 'ReadError ECONNRESET < Error ECONNRESET',
  },
  undici: {
    aborted: 'AbortError 20',
    timedOut: 'HeadersTimeoutError UND_ERR_HEADERS_TIMEOUT',
    network: 'SocketError UND_ERR_SOCKET',
    truncated: tooShort,
    undecodable: 'Error Z_DATA_ERROR',
  },
  'openapi-fetch': {
    aborted: 'AbortError 20',
    timedOut: 'TimeoutError 23',
    network: 'TypeError < SocketError UND_ERR_SOCKET',
    truncated: `TypeError < ${tooShort}`,
    undecodable: 'TypeError < Error Z_DATA_ERROR',
  },
}
