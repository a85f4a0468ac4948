import { setTimeout as delay } from 'node:timers/promises'
import type { Operation } from '../plan/operation.ts'
import { perform, type OperationResult } from './perform.ts'
import type { SoakStage } from './stage.ts'

const concurrency = 12
const deadlineMs = 30_000

/** Performs operations in order, several at once, and waits for none of them for ever. */
export async function performAll(
  operations: readonly Operation[],
  stage: SoakStage,
): Promise<OperationResult[]> {
  const results: OperationResult[] = []
  const waiting = operations.values()
  const work = async (): Promise<void> => {
    for (const operation of waiting) results.push(await inTime(operation, stage))
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return results
}

async function inTime(operation: Operation, stage: SoakStage): Promise<OperationResult> {
  const settled = new AbortController()
  const stuck = { operation, outcome: `stuck for ${deadlineMs} ms` }
  const late = delay(deadlineMs, stuck, { signal: settled.signal })
  late.catch(() => {})
  try {
    return await Promise.race([perform(operation, stage), late])
  } finally {
    settled.abort()
  }
}
