import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

/** The task that the command line gives. */
export interface SoakCommand {
  readonly seed: number
  readonly minutes: number
}

/** The help text. */
export const soakUsage = `pnpm soak [--seed <number>] [--minutes <number>]

  --seed <number>     what everything follows from (default: another one each time)
  --minutes <number>  how long it lasts (default: 10)
`

/**
 * Reads the arguments.
 *
 * @throws TypeError where there is something wrong with them.
 */
export function readSoakCommand(args: readonly string[]): SoakCommand {
  const { values } = parseArgs({
    args: [...args],
    options: { seed: { type: 'string' }, minutes: { type: 'string' } },
  })
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
  const minutes = Number(values.minutes ?? 10)
  if (!Number.isInteger(seed) || seed < 0) throw new TypeError('--seed must be a whole number')
  if (!(minutes > 0)) throw new TypeError('--minutes must be a number above 0')
  return { seed, minutes }
}
