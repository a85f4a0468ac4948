/** The exit codes of every command. */
export const exitCodes = {
  done: 0,
  /** The service refused the request or the login, or its response was an error that `--fail` counts. */
  refused: 1,
  /** The command line, the configuration or a file is wrong. */
  usage: 2,
  /** The service could not be reached, or the connection broke. */
  network: 3,
  /** The command was ended by Ctrl-C, as shells count it: 128 and the number of SIGINT. */
  interrupted: 130,
} as const

/** The exit code of a command. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Thrown anywhere: says what is wrong with the command line, the configuration or a file, and how to mend it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Thrown where Ctrl-C ends a command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Says that the service could not be reached, or that the connection broke or was too slow. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/** Returns the code of a system's error, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : 'unknown error'
}
