import type { SessionCredentials } from '../credentials.ts'
import { type Run, startRun } from '../run.ts'
import type { Internals } from '../timers.ts'
import { createSeal, type Seal } from './sealed-record.ts'

const mostKept = 1000

/** The last work of each lane: two keys are derived at a time, so that other work gets its turn. */
const lanes: Run<unknown>[] = []
const mostLanes = 2
let turns = 0
/** The seals that are being made, and the last ones that were. */
const kept = new Map<string, Run<Seal>>()

/** Returns the seal of some credentials, which is made once for all who ask for it. */
export function sealOf(
  account: readonly string[],
  credentials: SessionCredentials,
  internals: Internals,
): Promise<Seal> {
  const { timers, sealRounds } = internals
  const id = JSON.stringify([sealRounds, account, credentials.key.reveal()])
  const again = (): Promise<Seal> => {
    kept.delete(id)
    return sealOf(account, credentials, internals)
  }
  const known = kept.get(id)
  if (known) return known.join(again)
  const lane = (turns += 1) % mostLanes
  const last = lanes[lane]
  const made = startRun(timers, async () => {
    await last?.join(async () => {}).catch(() => {})
    return createSeal(account, credentials, sealRounds)
  })
  lanes[lane] = made
  kept.set(id, made)
  made.promise.catch(() => kept.delete(id))
  const [oldest = ''] = kept.keys()
  if (kept.size > mostKept) kept.delete(oldest)
  return made.join(again)
}
