import type { CommandContext } from '../context.ts'

/** Colours a text. */
export type Color = 'blue' | 'cyan' | 'green' | 'magenta'

const codes: Readonly<Record<Color, number>> = { blue: 34, cyan: 36, green: 32, magenta: 35 }

/**
 * Returns what colours text for standard output: nothing where there is no terminal, or with `NO_COLOR`;
 * `FORCE_COLOR` wins. Libraries ask the process in place of the context.
 *
 * @see https://no-color.org
 */
export function outputColors({
  env,
  stdout,
}: CommandContext): (color: Color, text: string) => string {
  const isForced = !['', '0', 'false'].includes(env['FORCE_COLOR'] ?? '')
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  const isColored = isForced || (stdout.isTTY === true && !isPlain)
  return isColored
    ? (color, text) => `\u001B[${codes[color]}m${text}\u001B[39m`
    : (_color, text) => text
}
