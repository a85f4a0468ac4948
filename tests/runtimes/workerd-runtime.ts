import { equal } from './assert.ts'
import { bundle } from './bundle.ts'
import type { Check } from './check.ts'
import { type Control, createControl } from './control.ts'
import { parseReport } from './parse-report.ts'
import { runChecks } from './run-checks.ts'
import type { Runtime } from './runtime.ts'
import type { Joined } from './worker-logins.ts'

/** Checks that take several requests to one worker. */
function loginChecks(ask: (path: string) => Promise<string>, control: Control): readonly Check[] {
  const beginAndJoin = async (
    name: 'gone' | 'kept',
  ): Promise<{ joined: Joined; logins: number }> => {
    const before = (await control.state()).logins
    await control.slowLogin()
    await ask(`begin/${name}`)
    // Written by the worker of this very package.
    const joined = JSON.parse(await ask(`join/${name}`)) as Joined
    return { joined, logins: (await control.state()).logins - before }
  }
  return [
    {
      name: 'a login whose request has ended never settles, and a later request replaces it',
      async run() {
        const { joined } = await beginAndJoin('gone')
        equal(joined.hasToken, true, 'a token')
        equal(joined.hasFirstEnded, false, 'the end of the first login')
      },
    },
    {
      name: 'waitUntil keeps a login alive whose request has ended, for later requests',
      async run() {
        const { joined, logins } = await beginAndJoin('kept')
        equal(joined.hasToken, true, 'a token')
        equal(joined.hasFirstEnded, true, 'the end of the first login')
        equal(logins, 1, 'logins')
      },
    },
    {
      name: 'a token that another request obtained is dropped, and the next request logs in',
      async run() {
        const before = (await control.state()).logins
        equal(await ask('invalidate/kept'), 'invalidated', 'response')
        // Written by the worker of this very package.
        const joined = JSON.parse(await ask('join/kept')) as Joined
        equal(joined.hasToken, true, 'a token')
        equal((await control.state()).logins - before, 1, 'logins')
      },
    },
  ]
}

/** workerd as Miniflare runs it, without `nodejs_compat`. */
export function workerdRuntime(): Runtime {
  return {
    name: 'workerd',
    async version() {
      // Loaded here, so that a platform without workerd only skips it.
      const { supportedCompatibilityDate } = await import('miniflare')
      return supportedCompatibilityDate
    },
    async run({ service, control }) {
      const { Miniflare } = await import('miniflare')
      const hostAddresses = JSON.stringify({ service, control })
      const script = await bundle('./worker.ts', 'neutral', { hostAddresses })
      const miniflare = new Miniflare({
        modules: true,
        script,
        compatibilityDate: '2026-07-01',
        compatibilityFlags: [],
      })
      try {
        const ask = async (path: string): Promise<string> => {
          const response = await miniflare.dispatchFetch(`http://localhost/${path}`)
          return response.text()
        }
        const report = parseReport(await ask(''))
        const ofLogins = await runChecks(loginChecks(ask, createControl(control)))
        return [...report, ...ofLogins]
      } finally {
        await miniflare.dispose()
      }
    },
  }
}
