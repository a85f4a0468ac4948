import { equal } from './assert.ts'
import { bundle } from '../support/bundle.ts'
import type { Check } from './check.ts'
import { type Control, createControl } from './control.ts'
import { parseReport } from './parse-report.ts'
import { runChecks } from './run-checks.ts'
import type { Report } from './report.ts'
import type { Runtime } from './runtime.ts'
import type { Joined, LoginName } from './worker-logins.ts'

/**
 * Checks that take several requests to one worker.
 *
 * @param keepsLogins - `true` where workerd itself keeps a login alive.
 */
function loginChecks(
  ask: (path: string) => Promise<string>,
  control: Control,
  keepsLogins: boolean,
): readonly Check[] {
  const join = async (name: LoginName): Promise<Joined> =>
    // Written by the worker of this very package.
    JSON.parse(await ask(`join/${name}`)) as Joined
  const beginAndJoin = async (name: LoginName): Promise<Joined & { logins: number }> => {
    const before = (await control.state()).logins
    await control.slowLogin()
    await ask(`begin/${name}`)
    const joined = await join(name)
    return { ...joined, logins: (await control.state()).logins - before }
  }
  const suffix = keepsLogins ? '' : ', as built for any runtime'
  const checks: readonly Check[] = [
    keepsLogins
      ? {
          name: 'a login whose visitor has left goes on, and the next one gets its token',
          async run() {
            const joined = await beginAndJoin('left')
            equal(joined.hasToken, true, 'a token')
            equal(joined.hasFirstEnded, true, 'the end of the first login')
            equal(joined.logins, 1, 'logins')
          },
        }
      : {
          name: 'a login whose visitor has left never settles, and the next one replaces it within 2.5 s',
          async run() {
            const joined = await beginAndJoin('left')
            equal(joined.hasToken, true, 'a token')
            equal(joined.hasFirstEnded, false, 'the end of the first login')
            equal(joined.waitedMs < 2500, true, `a wait of ${joined.waitedMs} ms`)
          },
        },
    {
      name: 'waitUntil keeps a login alive whose visitor has left, for the next one',
      async run() {
        const joined = await beginAndJoin('kept')
        equal(joined.hasToken, true, 'a token')
        equal(joined.hasFirstEnded, true, 'the end of the first login')
        equal(joined.logins, 1, 'logins')
      },
    },
    {
      name: 'twenty visitors at once, each with a scheme made in the handler, have one login',
      async run() {
        await control.revokeTokens()
        await ask('invalidate/left')
        const before = (await control.state()).logins
        await control.slowLogin()
        const joined = await Promise.all(Array.from({ length: 20 }, () => join('left')))
        equal(
          joined.every(({ hasToken }) => hasToken),
          true,
          'a token each',
        )
        equal((await control.state()).logins - before, 1, 'logins')
      },
    },
    {
      name: 'twenty visitors at once cost one challenge of Digest, and one of DPoP',
      async run() {
        // A response has the nonce of its answer, or the logins and challenges so far.
        for (const [path, form] of [
          ['visit/digest', /^([\da-f]{32}) \d/],
          ['visit/bound', /^(\d+ \d+)\n/],
        ] as const) {
          const texts = await Promise.all(Array.from({ length: 20 }, () => ask(path)))
          const kinds = new Set(texts.map((text) => form.exec(text)?.[1] ?? text))
          equal(kinds.size, 1, `kinds of responses: ${[...kinds].join()}`)
          equal(form.test(texts.join()), true, `the form of ${texts.join()}`)
        }
      },
    },
    {
      name: 'a token that another request obtained is dropped, and the next request logs in',
      async run() {
        const before = (await control.state()).logins
        equal(await ask('invalidate/kept'), 'invalidated', 'response')
        equal((await join('kept')).hasToken, true, 'a token')
        equal((await control.state()).logins - before, 1, 'logins')
      },
    },
  ]
  return checks.map((check) => ({ name: check.name + suffix, run: () => check.run() }))
}

/** workerd as Miniflare runs it, with flags such as `nodejs_compat`. */
export function workerdRuntime(name: string, compatibilityFlags: readonly string[]): Runtime {
  return {
    name,
    async version() {
      // Loaded here, so that a platform without workerd only skips it.
      const { supportedCompatibilityDate } = await import('miniflare')
      return supportedCompatibilityDate
    },
    async run({ service, control }) {
      const { Miniflare } = await import('miniflare')
      const hostAddresses = JSON.stringify({ service, control })
      /** Runs the worker, as built for workerd or for any runtime. */
      const inWorker = async (
        platform: 'workerd' | 'neutral',
        use: (ask: (path: string) => Promise<string>) => Promise<Report>,
      ): Promise<Report> => {
        const script = await bundle('runtimes/worker.ts', platform, { hostAddresses })
        const miniflare = new Miniflare({
          modules: true,
          script,
          compatibilityDate: '2026-07-01',
          compatibilityFlags: [...compatibilityFlags],
        })
        try {
          return await use(async (path) => {
            const response = await miniflare.dispatchFetch(`http://localhost/${path}`)
            return response.text()
          })
        } finally {
          await miniflare.dispose()
        }
      }
      const host = createControl(control)
      const built = await inWorker('workerd', async (ask) => [
        ...parseReport(await ask('')),
        ...(await runChecks(loginChecks(ask, host, true))),
      ])
      const plain = await inWorker('neutral', (ask) => runChecks(loginChecks(ask, host, false)))
      return [...built, ...plain]
    },
  }
}
