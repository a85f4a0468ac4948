import { spawnSync } from 'node:child_process'

/** Tells if this is not Windows, for `describe.runIf`. There, one line tells what the tests need that it lacks. */
export function hasOnPosix(what: string): boolean {
  if (process.platform !== 'win32') return true
  console.warn(`skipped: Windows has no ${what}`)
  return false
}

/**
 * Tells if a program is on this machine, for `describe.skipIf`. Where it is missing, one line tells
 * how to get it; with REQUIRE_SERVICES=1 that line is an error.
 *
 * @throws {Error} where it is missing and REQUIRE_SERVICES=1.
 */
export function hasProgram(
  what: string,
  probe: readonly [command: string, ...args: string[]],
  howToGet: string,
): boolean {
  const [command, ...args] = probe
  if (spawnSync(command, args).status === 0) return true
  const complaint = `${what} is missing; get it with: ${howToGet}`
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(complaint)
  console.warn(`skipped: ${complaint}`)
  return false
}
