import type { Environment } from '../support/run-program.ts'

/**
 * Takes away what npx tells of its own settings to the programs that it starts, and so to the tests. They would go
 * before others, such as those that name a registry, and be kept by nobody who publishes or installs from a shell.
 */
export const withoutNpm: Environment = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith('npm_'))
    .map((name) => [name, undefined]),
)
