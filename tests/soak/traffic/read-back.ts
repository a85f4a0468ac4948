import { authFetch } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import { hashOf, payloadOf } from '../plan/payload.ts'
import { pathOf } from '../service/faults.ts'
import type { OperationResult } from './perform.ts'

/** The objects whose upload was acknowledged, and that are not there as they were given. */
export async function readBack(
  results: readonly OperationResult[],
  baseUrl: URL,
  checking: AuthScheme,
): Promise<string[]> {
  const fetch = authFetch(checking)
  const lost: string[] = []
  for (const { operation, outcome } of results) {
    const { id, kind, body } = operation
    if (outcome !== 'accepted' || !kind.startsWith('put') || !body) continue
    const path = pathOf(operation)
    const response = await fetch(new URL(kind === 'put, moved' ? `${path}/moved` : path, baseUrl))
    const found = new Uint8Array(await response.arrayBuffer())
    if (response.status !== 200) {
      lost.push(`${id} ${kind}: lost, reading it gives ${response.status}`)
    } else if (hashOf(found) !== hashOf(payloadOf(id, body))) {
      lost.push(`${id} ${kind}: stored as other bytes`)
    }
  }
  return lost
}
