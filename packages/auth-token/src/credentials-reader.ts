import { abortable } from '@svc/auth-hooks/scheme'
import type { CredentialsSource, SessionCredentials } from './credentials.ts'
import { startDeadline } from './deadline.ts'
import { loginTimeout } from './login/login-errors.ts'
import { type Run, startRun } from './run.ts'
import type { SessionSettings } from './session/session-options.ts'
import { isAhead } from './token.ts'

/** Calls a credentials function, once for all who wait for it. */
export interface CredentialsReader {
  read(source: CredentialsSource, signal: AbortSignal | undefined): Promise<SessionCredentials>
  isReading(): boolean
}

interface Reading extends Run<SessionCredentials> {
  readonly overdueAt: number
  waiting: number
  cancel(): void
}

/** Returns a reader that has the time of a login for each call. */
export function createCredentialsReader(settings: SessionSettings): CredentialsReader {
  const { clock, timers, loginTimeoutMs } = settings
  let reading: Reading | undefined

  const begin = (source: CredentialsSource): Reading => {
    const controller = new AbortController()
    const { signal } = controller
    const run = startRun(timers, () =>
      abortable(Promise.resolve(source(signal)), signal).finally(() => {
        if (reading === own) reading = undefined
      }),
    )
    const cancel = (): void => {
      if (reading === own) reading = undefined
      controller.abort(loginTimeout(settings, { waitsFor: 'credentials' }))
    }
    // Nobody may wait for it any more.
    run.promise.catch(() => {})
    const overdueAt = clock() + loginTimeoutMs
    const own: Reading = { ...run, overdueAt, waiting: 0, cancel }
    return own
  }

  const read: CredentialsReader['read'] = async (source, signal) => {
    // Perhaps none of those who waited for it did so for as long as it may take.
    if (reading && !isAhead(reading.overdueAt, clock(), loginTimeoutMs)) reading.cancel()
    const own = (reading ??= begin(source))
    own.waiting += 1
    // Of each waiter: without one, nothing keeps the process from ending.
    const endDeadline = startDeadline(timers, loginTimeoutMs, () => own.cancel())
    const again = (): Promise<SessionCredentials> => {
      if (reading === own) reading = undefined
      return read(source, signal)
    }
    return own.join(again, signal).finally(() => {
      endDeadline()
      own.waiting -= 1
      // It goes on, and keeps no process from ending.
      if (own.waiting === 0) own.release()
    })
  }
  return { read, isReading: () => reading !== undefined }
}
