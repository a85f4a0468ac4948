import type { CommandContext } from '../context.ts'

/** Writes a text in a colour, or as it is where no colour is wanted. */
export type Paint = (text: string) => string

/** The colours of a command. */
export interface Colours {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly blue: Paint
  readonly magenta: Paint
  readonly cyan: Paint
}

/**
 * Returns the colours for the standard output: none where it is no terminal, unless the environment forces them.
 *
 * @see https://no-color.org
 */
export async function openColours({ stdout, env }: CommandContext): Promise<Colours> {
  const { NO_COLOR: no, FORCE_COLOR: force } = env
  const isForced = !['', '0', 'false'].includes(force ?? '')
  const isWanted = isForced || (stdout.isTTY === true && !no)
  if (!isWanted) return withoutColours
  const { bold, dim, red, green, blue, magenta, cyan } = await import('yoctocolors')
  return { bold, dim, red, green, blue, magenta, cyan }
}

const plain: Paint = (text) => text
const withoutColours: Colours = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  blue: plain,
  magenta: plain,
  cyan: plain,
}
