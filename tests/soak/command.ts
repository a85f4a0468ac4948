import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { parseCase } from '../security/odd-inputs/plan.ts'

/** The task that the command line gives. */
export interface SoakCommand {
  readonly seed: number
  readonly minutes: number
  /** What is done: mixed traffic, odd inputs, or one case of these. */
  readonly kind: 'traffic' | 'inputs' | 'case'
  /** The text of the case. */
  readonly text: string
}

/** The help text. */
export const soakUsage = `pnpm soak [--seed <number>] [--minutes <number> | --inputs <minutes> | --case <text>]

  --seed <number>     what everything follows from (default: another one each time)
  --minutes <number>  how long it lasts (default: 10)
  --inputs <minutes>  gives the adapters odd inputs, for so long, in the place of mixed traffic
  --case <text>       gives one of them, as a finding names it
`

/**
 * Reads the arguments.
 *
 * @throws TypeError where there is something wrong with them.
 */
export function readSoakCommand(args: readonly string[]): SoakCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string' },
      inputs: { type: 'string' },
      case: { type: 'string' },
    },
  })
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
  const { inputs, case: text = '' } = values
  if (text !== '') parseCase(text)
  const minutes = Number(inputs ?? values.minutes ?? 10)
  if (!Number.isInteger(seed) || seed < 0) throw new TypeError('--seed must be a whole number')
  const option = inputs === undefined ? '--minutes' : '--inputs'
  if (!(minutes > 0)) throw new TypeError(`${option} must be a number above 0`)
  return { seed, minutes, kind: kindOf(inputs, text), text }
}

function kindOf(inputs: string | undefined, text: string): SoakCommand['kind'] {
  if (text !== '') return 'case'
  return inputs === undefined ? 'traffic' : 'inputs'
}
