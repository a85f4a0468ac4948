import { styleText } from 'node:util'
import type { CommandContext } from '../context.ts'

/** Writes a text in a colour or a weight, or as it is where no colour is wanted. */
export type Paint = (colour: Parameters<typeof styleText>[0], text: string) => string

/**
 * Returns what paints the standard output: nothing where it is no terminal, unless the environment forces colours.
 *
 * @see https://no-color.org
 */
export function openColours({ stdout, env }: CommandContext): Paint {
  const { NO_COLOR: no, FORCE_COLOR: force } = env
  const isForced = !['', '0', 'false'].includes(force ?? '')
  const isWanted = isForced || (stdout.isTTY === true && !no)
  return (colour, text) => (isWanted ? styleText(colour, text, { validateStream: false }) : text)
}
