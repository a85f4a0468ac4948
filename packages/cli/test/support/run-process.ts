import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Finished, run } from '../../../../tests/support/run-program.ts'
import { usualFolders } from './platforms.ts'

/** The arguments of Node that run `svc-auth` as it is built, which starts in a third of the time of its source. */
export const commandArguments: readonly string[] = [
  fileURLToPath(new URL('../../dist/cli.js', import.meta.url)),
]

/** Runs `svc-auth` as a process of its own, for a user with an empty environment. */
export function runProcess(
  argv: readonly string[],
  {
    home,
    env = {},
    stdin = '',
  }: {
    readonly home: string
    readonly env?: Readonly<Record<string, string>>
    readonly stdin?: string
  },
): Promise<Finished> {
  return run(execPath, [...commandArguments, ...argv], stdin, { ...cleanEnvironment(home), ...env })
}

/** Returns an environment in which this machine's own settings and keyring do not count. */
export function cleanEnvironment(home: string): Record<string, string> {
  const own = Object.keys(process.env).filter((name) => /^(?:SVC_AUTH_|AWS_|XDG_)/.test(name))
  return {
    ...Object.fromEntries(own.map((name) => [name, ''])),
    HOME: home,
    USERPROFILE: home,
    ...usualFolders(home),
    SVC_AUTH_KEYRING: 'off',
  }
}
