import type { CommandContext } from '../context.ts'

/** A colour, or a weight. */
type Colour = 'bold' | 'dim' | 'red' | 'green' | 'blue' | 'magenta' | 'cyan'

/** Writes a text in a colour, or as it is where no colour is wanted. */
export type Paint = (colour: Colour, text: string) => string

/**
 * Returns what paints the standard output: nothing where it is no terminal, unless the environment forces colours.
 *
 * @see https://no-color.org
 */
export async function openColours({ stdout, env }: CommandContext): Promise<Paint> {
  const { NO_COLOR: no, FORCE_COLOR: force } = env
  const isForced = !['', '0', 'false'].includes(force ?? '')
  const isWanted = isForced || (stdout.isTTY === true && !no)
  if (!isWanted) return (_colour, text) => text
  const colours = await import('yoctocolors')
  return (colour, text) => colours[colour](text)
}
