import type { Fetch } from '@svc/types'

/** The world as the sources of keys see it: the one place that tests replace. */
export interface Outside {
  /** A variable of the environment; an empty one counts as none. */
  readonly variable: (name: string) => string | undefined
  readonly fetch: Fetch
  readonly clock: () => number
  /** Ends everything, if the caller gave one. */
  readonly signal?: AbortSignal | undefined
  /** A signal that aborts after so many milliseconds, or with that of the caller. */
  readonly deadline: (ms: number) => AbortSignal
  readonly pause: (ms: number) => Promise<void>
  /** The folder of the user, where no variable names it. */
  readonly home: () => string
  /** The bytes of a file. Rejects with an error that has a `code`. */
  readonly readFile: (path: string) => Promise<Uint8Array>
  /** Replaces a file at once, readable by its owner alone. */
  readonly replaceFile: (path: string, text: string) => Promise<void>
  /** The output of a command of the shell. Rejects with a {@link Failure}. */
  readonly run: (command: string) => Promise<string>
}

/** Why a source that is set up gave no key, without a secret: the chain ends with it. */
export class Failure extends Error {}

/** Returns the code of an error of the system, such as `ENOENT`, or a word for any other. */
export function codeOf(error: unknown): string {
  const { code, cause, name } = Object(error) as Record<string, unknown>
  const found = [Object(cause).code, code, name].find((one) => /^[A-Z]\w{2,40}$/.test(String(one)))
  return String(found ?? 'unknown error')
}

/** Returns the JSON object that a text is; an empty one if it is none. */
export function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    // Without the reason, which quotes the text.
    return {}
  }
}
