import type { Fault, FaultEffect } from '@svc/emulator'
import type { LoginFault, OperationFault } from '../plan/fault.ts'
import { needsToken, type Operation } from '../plan/operation.ts'
import type { Round } from '../plan/plan.ts'

const minuteMs = 60_000
const neverMs = 3_600_000
/** Longer than a token takes to be replaced. */
const lateMs = 400
const rubbish = 'this is no response of the service'

/** The path of an operation, which no other one has. */
export function pathOf(operation: Operation): string {
  return needsToken(operation) && operation.kind !== 'post, see other'
    ? `/user/soak/${operation.id}`
    : `/V1/soak/${operation.id}`
}

/** All faults of a round. */
export function faultsOf(round: Round, strayUrl: URL): Fault[] {
  return [
    ...loginFaults(round),
    ...round.operations.flatMap((one) => operationFaults(one, strayUrl)),
  ]
}

function loginFaults({ weather: { logins, loginFaults: times } }: Round): Fault[] {
  return logins === 'none' ? [] : [{ path: '/user/login', times, ...effectOf(logins, '30') }]
}

function operationFaults(operation: Operation, strayUrl: URL): Fault[] {
  const { kind, fault } = operation
  const path = pathOf(operation)
  if (kind === 'put, moved') return [{ path, times: 1, redirect: { to: `${path}/moved` } }]
  if (kind === 'put, sent astray') return [{ path, times: 1, redirect: { to: strayUrl } }]
  if (kind === 'post, see other') {
    const to = `/user/groups?operation=${operation.id}`
    return [{ path, times: 1, redirect: { to, status: 303 } }]
  }
  if (kind === 'post while revoked') return [{ path, times: 1, latencyMs: lateMs }]
  if (fault === 'none') return []
  const method = kind.startsWith('put') ? 'PUT' : kind.startsWith('get') ? 'GET' : 'POST'
  return [{ path, method, ...effectOf(fault, '0'), times: times[fault] ?? 1 }]
}

const times: Readonly<Partial<Record<OperationFault, number>>> = { 'skewed twice': 2, silent: 1000 }

/** The effect of a fault. `retryAfter` is in seconds, and said where a server would say it. */
function effectOf(
  fault: Exclude<OperationFault | LoginFault, 'none'>,
  retryAfter: string,
): FaultEffect {
  const headers = { 'retry-after': retryAfter }
  const effects: Readonly<Record<typeof fault, FaultEffect>> = {
    slow: { latencyMs: 100 },
    refused: { status: 401 },
    forbidden: { status: 403 },
    throttled: { status: 429, headers },
    busy: { status: 503, headers },
    broken: { status: 500, body: rubbish },
    dropped: { drop: true },
    silent: { latencyMs: neverMs },
    truncated: {
      status: 200,
      headers: { 'content-length': '1000', connection: 'close' },
      body: rubbish,
    },
    undecodable: { body: rubbish, headers: { 'content-encoding': 'gzip' } },
    skewed: { skewMs: 50 * minuteMs },
    'skewed twice': { skewMs: -40 * minuteMs },
    redirected: { redirect: { to: '/user/groups' } },
    'not json': { body: rubbish },
    'no token': { body: '{}' },
    'bad token': { body: '{"Token":"two\\nlines"}' },
    'too large': { body: 'x'.repeat(1_500_000) },
  }
  return effects[fault]
}
