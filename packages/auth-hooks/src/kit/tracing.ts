import type { LoginTrace } from '@svc/types'

/** A trace that is being written. */
export type Draft<Trace> = { -readonly [Field in keyof Trace]: Trace[Field] }

/** A login that is traced: from `run` to its end, in the context of the call that began it. */
export interface TracedLogin {
  /**
   * Runs the login.
   *
   * @param outcomeOf - Returns the outcome of a login that gave a token.
   */
  run<Token>(
    login: () => Promise<Token>,
    outcomeOf: (token: Token) => NonNullable<LoginTrace['outcome']>,
  ): Promise<Token>
  /** Publishes that another call waits for it: in that call's context, and before its end. */
  awaited(): void
}

export type LoginStart = Pick<LoginTrace, 'scheme' | 'origin'>

/** Runs what subscribers may make fail, even by freezing a trace: they are not part of the call. */
export function quietly(run: () => void): void {
  try {
    run()
  } catch {
    // Nothing of the caller's has failed.
  }
}
