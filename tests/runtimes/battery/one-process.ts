import { setImmediate } from 'node:timers/promises'
import { authFetch } from '@svc/auth-token'
import { createEmulator } from '@svc/emulator'
import type { BatteryLogin } from './login.ts'
import type { FaultScenario } from './scenario.ts'
import { logins, succeeded, withServiceOf } from './service.ts'
import { credentials } from '../credentials.ts'

const hourMs = 3_600_000
const refused = { ...credentials, password: 'wrong' }

/** The faults that one process can run into, with a login. */
export function oneProcess(login: BatteryLogin): readonly FaultScenario[] {
  const withService = withServiceOf(login)
  return [
    {
      fault: '10 000 callers before there is a token',
      others:
        'of 20 callers: 20 logins with google-auth-library (refreshHandler), msal-node and k8s ExecAuth',
      expected: '1 login, 10000 responses with 200',
      async run() {
        // In process: ten thousand sockets are more than an operating system gives.
        const emulator = createEmulator()
        const send = login.fetchOf(emulator)
        const auth = login.createAuth('http://localhost', { fetch: send })
        const fetch = authFetch(auth, { fetch: send })
        const responses = Array.from({ length: 10_000 }, () =>
          fetch('http://localhost/user/groups'),
        )
        const good = await succeeded(responses)
        return `${logins(emulator.logins)}, ${good} responses with 200`
      },
    },
    {
      fault: '10 requests in flight, one revocation, ten 401s in succession',
      others:
        'google-auth-library 10 more logins, oauth2-client and refresh-fetch 5, axios-auth-refresh 3; 6 to 7 requests failed',
      expected: '1 more login, 10 responses with 200',
      run: () =>
        withService(async ({ auth, emulator, groups }) => {
          await auth.getToken()
          const held: (() => void)[] = []
          const staggered = authFetch(auth, {
            async fetch(input, init) {
              const response = await fetch(input, init)
              if (response.status === 401) await new Promise<void>((resolve) => held.push(resolve))
              return response
            },
          })
          emulator.revokeTokens()
          const responses = Array.from({ length: 10 }, () => staggered(groups))
          await until(() => held.length === 10)
          let ended = 0
          for (const response of responses) void response.finally(() => (ended += 1))
          for (let released = 1; released <= 10; released += 1) {
            held.shift()?.()
            await until(() => ended === released)
          }
          const good = await succeeded(responses)
          return `${emulator.logins - 1} more login, ${good} responses with 200`
        }),
    },
    {
      fault: '10 calls in succession with credentials that are refused',
      others: '10 logins in all ten libraries measured',
      expected: '1 login, 10 errors ERR_AUTH_LOGIN_REFUSED',
      run: () =>
        withService(
          async ({ auth, loginRequests }) => {
            const codes = await errorCodes(10, () => auth.getToken())
            return `${logins(loginRequests())}, ${codes}`
          },
          { credentials: refused },
        ),
    },
    {
      fault: 'one of two waiting callers aborts',
      others:
        '@azure/core-rest-pipeline: both fail; google-auth-library, oauth2-client, refresh-fetch: nobody can abort',
      expected: 'the one rejects before the login responds, the other gets 200, 1 login',
      run: () =>
        withService(async ({ fetch, groups, emulator }) => {
          emulator.fault({ path: '/user/login', latencyMs: 100 })
          const controller = new AbortController()
          const leaving = fetch(groups, { signal: controller.signal })
          const staying = fetch(groups)
          controller.abort(new Error('leaves'))
          const when = await leaving.then(
            () => 'does not reject',
            () => `rejects ${emulator.logins === 0 ? 'before' : 'after'} the login responds`,
          )
          const { status } = await staying
          return `the one ${when}, the other gets ${status}, ${logins(emulator.logins)}`
        }),
    },
    {
      fault: '10 requests to a service that always responds with 401',
      others:
        'reported: endless loops (axios#5700, axios-auth-refresh#97, supertokens-website#258)',
      expected: '2 logins, each caller gets the 401',
      run: () =>
        withService(async ({ fetch, groups, emulator }) => {
          emulator.fault({ path: '/user/groups', status: 401 })
          const statuses = new Set<number>()
          for (let call = 0; call < 10; call += 1) statuses.add((await fetch(groups)).status)
          return `${logins(emulator.logins)}, each caller gets the ${[...statuses].join(' or ')}`
        }),
    },
    {
      fault: '10 calls while the login responds with 429 and Retry-After: 120',
      others: 'one of twelve honors it (msal-node); reported: 429 mistaken for wrong credentials',
      expected: '1 login, 10 errors ERR_AUTH_LOGIN_REFUSED, the next login after 120 s',
      async run() {
        let now = Date.now()
        return withService(
          async ({ auth, emulator, loginRequests }) => {
            emulator.fault({ path: '/user/login', status: 429, headers: { 'retry-after': '120' } })
            const startedAt = now
            const codes = await errorCodes(10, () => auth.getToken())
            const before = loginRequests()
            while (loginRequests() === before && now < startedAt + hourMs) {
              now += 1000
              await auth.getToken().catch(() => {})
            }
            const waitedS = (now - startedAt) / 1000
            return `${logins(before)}, ${codes}, the next login after ${waitedS} s`
          },
          { clock: () => now },
          { clock: () => now },
        )
      },
    },
    {
      fault: '10 callers of a login that never responds',
      others: 'alova: 2 of 3 callers wait forever if a refresh fails',
      expected:
        '1 login, 10 errors ERR_AUTH_LOGIN_TIMEOUT; once the login responds, the next caller gets a token',
      run: () =>
        withService(
          async ({ auth, emulator, loginRequests }) => {
            const fault = emulator.fault({ path: '/user/login', latencyMs: 60_000 })
            const results = await Promise.all(
              Array.from({ length: 10 }, () => errorCodes(1, () => auth.getToken())),
            )
            const before = loginRequests()
            fault.clear()
            const token = await auth.getToken()
            const next = token.startsWith('eyJ') ? 'gets a token' : 'gets none'
            return `${logins(before)}, 10 errors ${codesOf(results)}; once the login responds, the next caller ${next}`
          },
          { loginTimeoutMs: 200 },
        ),
    },
    ...[1, -1].map((direction): FaultScenario => ({
      fault: `20 requests, tokens of 30 minutes, a clock that is an hour ${direction > 0 ? 'fast' : 'slow'}`,
      others:
        direction > 0
          ? 'reported: a refresh for each request (supabase/auth-js#926)'
          : 'reported: expired tokens are sent',
      expected: '1 login, 20 responses with 200',
      run: () =>
        withService(
          async ({ fetch, groups, emulator }) => {
            let good = 0
            for (let call = 0; call < 20; call += 1) {
              good += await succeeded([fetch(groups)])
            }
            return `${logins(emulator.logins)}, ${good} responses with 200`
          },
          { clock: () => Date.now() + direction * hourMs },
          { tokenLifetimeSeconds: 1800 },
        ),
    })),
    {
      fault: 'a renewal fails while the token is still valid',
      others: '@azure/core-rest-pipeline: unhandled rejection, the process exits with 1',
      expected: '5 responses with 200, 0 unhandled rejections',
      async run() {
        let now = Date.now()
        let unhandled = 0
        const count = (): void => void (unhandled += 1)
        process.on('unhandledRejection', count)
        try {
          return await withService(
            async ({ auth, fetch, groups, emulator }) => {
              await auth.getToken()
              now += 24 * hourMs - 60_000
              emulator.fault({ path: '/user/login', drop: true })
              let good = 0
              for (let call = 0; call < 5; call += 1) {
                good += await succeeded([fetch(groups)])
                await setImmediate()
              }
              return `${good} responses with 200, ${unhandled} unhandled rejections`
            },
            { clock: () => now },
            { clock: () => now },
          )
        } finally {
          process.off('unhandledRejection', count)
        }
      },
    },
  ]
}

async function errorCodes(calls: number, action: () => Promise<unknown>): Promise<string> {
  const codes: string[] = []
  for (let call = 0; call < calls; call += 1) {
    codes.push(
      await action().then(
        () => 'none',
        (error: unknown) =>
          typeof error === 'object' && error !== null && 'code' in error
            ? String(error.code)
            : String(error),
      ),
    )
  }
  return calls === 1 ? codesOf(codes) : `${calls} errors ${codesOf(codes)}`
}

function codesOf(codes: readonly string[]): string {
  return [...new Set(codes)].join(', ')
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate()
}
