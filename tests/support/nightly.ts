/**
 * `true` in a run of `pnpm nightly`, which tries everything. Any other run leaves out what seldom differs: older
 * clients and compilers, more runtimes for the same snippets, and most of many random inputs.
 */
export const isNightly: boolean = process.env['NIGHTLY'] === '1'

/** Returns what a run needs: all of it at night, else its short form. */
export function atNight<T>(all: T, short: T): T {
  return isNightly ? all : short
}
