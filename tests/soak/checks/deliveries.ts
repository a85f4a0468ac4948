import { isPostedWithToken, type Operation } from '../plan/operation.ts'
import { hashOf, payloadOf } from '../plan/payload.ts'
import type { ArrivedRequest } from '../service/protocol.ts'
import type { OperationResult } from '../traffic/perform.ts'

/**
 * Tells what is wrong with the deliveries of the bodies of a round. Promised is:
 *
 * - what is taken is what the caller gave, to the last byte;
 * - what was acknowledged was taken once, and what was not at most once;
 * - a body goes once more only after a response that refused or redirected it, never after one that
 *   took it and never after none; and no more often than there are reasons.
 */
export function wrongDeliveries(
  results: readonly OperationResult[],
  arrivals: readonly ArrivedRequest[],
): string[] {
  const byOperation = new Map<string, ArrivedRequest[]>()
  for (const arrival of arrivals) {
    const own = byOperation.get(arrival.operation)
    if (own) own.push(arrival)
    else byOperation.set(arrival.operation, [arrival])
  }
  return results.flatMap((result) => {
    const { operation } = result
    const { id, kind } = operation
    // An object that is read was put by another way.
    if (kind.startsWith('get') || !operation.body) return []
    const own = (byOperation.get(id) ?? []).filter(({ method }) => method !== 'GET')
    return wrongWith(result, own).map((what) => `${id} ${kind} by ${operation.client}: ${what}`)
  })
}

/** Arrivals from earlier rounds, though their caller had a response and had not given up. */
export function lateArrivals(
  arrivals: readonly ArrivedRequest[],
  round: number,
  operationsOf: (round: number) => readonly Operation[],
): string[] {
  return arrivals.flatMap(({ operation: id }) => {
    const earlier = Number(id.split('-')[0])
    if (earlier === round) return []
    const operation = operationsOf(earlier).find((candidate) => candidate.id === id)
    return operation?.end ? [] : [`${id} arrived after its round was over`]
  })
}

function wrongWith(
  { operation, outcome }: OperationResult,
  arrivals: readonly ArrivedRequest[],
): string[] {
  const wrong: string[] = []
  const taken = arrivals.filter((arrival) => isTaken(operation, arrival))
  // Redirected with 303, a post goes on as a GET.
  const isTakenOnce = outcome === 'accepted' && operation.kind !== 'post, see other'
  if (isTakenOnce && taken.length !== 1) wrong.push(`acknowledged, and taken ${taken.length} times`)
  if (taken.length > 1) wrong.push(`taken ${taken.length} times`)
  const expected = hashOf(payloadOf(operation.id, operation.body ?? { form: 'bytes', bytes: 0 }))
  // Of signed chunks, what was taken is read back.
  if (arrivals.some(({ isChunked, hash }) => !isChunked && hash !== expected)) {
    wrong.push('arrived as other bytes')
  }
  arrivals.slice(0, -1).forEach((arrival, index) => {
    if (mayFollow(operation, arrival)) return
    wrong.push(`sent once more after arrival ${index + 1} got ${arrival.status}`)
  })
  const most = mostArrivals(operation)
  if (arrivals.length > most) wrong.push(`arrived ${arrivals.length} times, and not ${most}`)
  return wrong
}

function isTaken({ kind }: Operation, { isLetIn, status }: ArrivedRequest): boolean {
  return isLetIn && status === (isPostedWithToken(kind) ? 404 : 200)
}

/** Tells if another arrival may follow this one. */
function mayFollow({ retries }: Operation, { isLetIn, status = 0 }: ArrivedRequest): boolean {
  if (isLetIn) return false
  const isRetried = retries > 0 && status === 503
  return isRetried || [400, 401, 403, 303, 307].includes(status)
}

/**
 * One, and one for each reason to send once more: a token that was refused, and then one that another
 * session had; a clock that is off; a redirect; a retry of the client's own, with these reasons again.
 */
function mostArrivals({ kind, retries }: Operation): number {
  const attempts = isPostedWithToken(kind) ? 3 : 2
  const hops = kind.includes(',') && !kind.includes('chunks') ? 2 : 1
  return attempts * hops * (1 + retries)
}
