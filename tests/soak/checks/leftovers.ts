import { getEventListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { OperationResult } from '../traffic/perform.ts'
import type { SoakStage } from '../traffic/stage.ts'
import {
  countDescriptors,
  countResources,
  grownResources,
  type Resources,
  sumOf,
} from './resources.ts'

/** Connections that clients keep for later; one more for each operation would soon be more. */
const mostDescriptors = 400

/** Leftovers of operations that are over: timers, listeners, sources, connections. */
export function leftoversOf(
  results: readonly OperationResult[],
  { signal }: SoakStage,
  before: Resources,
): string[] {
  // Some clients let go of a signal only when the request that has it is collected.
  globalThis.gc?.()
  const listeners = getEventListeners(signal, 'abort').length
  const descriptors = sumOf(countDescriptors())
  const held = results.filter(({ source }) => source?.isHeld())
  return [
    ...grownResources(before, countResources()),
    ...(listeners > 0 ? [`${listeners} listeners of the signal of the program`] : []),
    ...(descriptors > mostDescriptors ? [`${descriptors} open files and sockets`] : []),
    ...held.map(
      ({ operation, outcome }) =>
        `${outcome}, and its source is held: ${JSON.stringify(operation)}`,
    ),
  ]
}

/** Waits until a list is empty, in real time; what is still in it then. */
export async function untilEmpty(
  list: () => readonly string[] | Promise<readonly string[]>,
  limitMs: number,
): Promise<readonly string[]> {
  const end = performance.now() + limitMs
  for (;;) {
    const left = await list()
    if (left.length === 0 || performance.now() > end) return left
    await delay(20)
  }
}
