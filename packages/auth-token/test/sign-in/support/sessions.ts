import type { AuthEvent } from '@svc/auth-hooks'
import { createSessionAuth, type SessionAuthOptions, type TokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken, type RefreshTokenOptions } from '@svc/auth-token/oauth2'
import { deviceCode, type DeviceCodeOptions, type DevicePrompt } from '@svc/auth-token/sign-in'
import { expect } from 'vitest'
import { manualTime } from '../../support/time.ts'
import { createBrowser } from './browser.ts'

type Own = Partial<DeviceCodeOptions> &
  Pick<RefreshTokenOptions, 'rotation'> &
  Partial<Pick<SessionAuthOptions<object>, 'store' | 'fetch' | 'loginTimeoutMs' | 'onEvent'>>

/** A user with a browser, and the sessions that any number of processes would make. */
export function userOf(issuer: string) {
  const time = manualTime()
  const shown: DevicePrompt[] = []
  const events: AuthEvent[] = []
  const shared = memoryTokenStore(time.clock)
  const browser = createBrowser()
  const approve = ({ verificationUri, userCode }: DevicePrompt): Promise<unknown> =>
    browser.signIn(verificationUri, { user_code: userCode })
  const user = {
    /** Does with the prompt what the user would; by default, they sign in. */
    act: approve as (prompt: DevicePrompt) => unknown,
  }
  const session = ({
    store = shared,
    fetch,
    loginTimeoutMs,
    onEvent,
    rotation,
    ...own
  }: Own = {}): TokenAuth =>
    createSessionAuth({
      baseUrl: 'https://api.example.com',
      ...refreshToken({
        rotation,
        ...deviceCode({
          issuer,
          clientId: 'app',
          scope: 'openid offline_access',
          async show(prompt) {
            shown.push(prompt)
            await user.act(prompt)
          },
          ...own,
        }),
      }),
      store,
      // Another process has a session of its own.
      session: 'own',
      clock: time.clock,
      random: () => 0,
      fetch,
      loginTimeoutMs,
      onEvent: onEvent ?? ((event) => events.push(event)),
    })
  return {
    time,
    shown,
    events,
    shared,
    user,
    approve,
    session,
    types: (): string[] => events.map(({ type }) => type),
    /** Lets what is under way on sockets come to a condition, in a little time. */
    until: async (condition: () => boolean, stepMs = 1): Promise<void> => {
      for (let turn = 0; !condition() && turn < 1000; turn += 1) {
        await time.advance(stepMs)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    },
    /** Lets the access token run out. */
    expire: (): Promise<void> => time.advance(600_000),
  }
}

export function failure(auth: Pick<TokenAuth, 'getToken'>): Promise<unknown> {
  return auth.getToken().then(
    () => undefined,
    (error: unknown) => error,
  )
}

export function withCode(code: string): unknown {
  return expect.objectContaining({ code })
}

type Shown = Pick<DevicePrompt, 'verificationUri' | 'userCode'>

/** Cancels in the browser. */
export async function deny({ verificationUri, userCode }: Shown): Promise<void> {
  const browser = createBrowser()
  const page = await browser.load(new URL(verificationUri))
  const confirm = await browser.submit(page, { user_code: userCode })
  await browser.submit(confirm, {}, { abort: 'yes' })
}
