import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { Addresses } from '../addresses.ts'
import { equal, rejectsWith } from '../assert.ts'
import type { Check } from '../check.ts'
import { createControl } from '../control.ts'
import { credentials } from '../credentials.ts'

/** Checks in a page whose service worker responds first. */
export function createServiceWorkerChecks({
  service,
  control: controlAddress,
}: Addresses): readonly Check[] {
  const control = createControl(controlAddress)
  // Another check has just had a token refused, and a session counts how often that happens to it.
  const auth = createTokenAuth({ baseUrl: service, credentials, session: 'own' })
  const fetchWithToken = authFetch(auth)
  const ask = (path: string): Promise<Response> =>
    fetchWithToken(new URL(`/user/worker/${path}`, service))

  return [
    {
      name: 'the response of a service worker is used',
      async run() {
        await startServiceWorker()
        equal(await (await ask('response')).text(), 'by the service worker', 'response')
      },
    },
    {
      name: 'a 401 of a service worker leads to one login and one more attempt',
      async run() {
        const before = await control.state()
        equal((await ask('refusal')).status, 200, 'status')
        const after = await control.state()
        equal(after.logins - before.logins, 1, 'logins')
        equal(after.arrived - before.arrived, 1, 'requests beside')
      },
    },
    {
      name: 'a redirect by a service worker is refused, and nothing is sent there',
      async run() {
        await rejectsWith(ask('redirect'), 'ERR_AUTH_REDIRECT')
        equal((await control.state()).strays, 0, 'requests to the other origin')
      },
    },
    ...(['followed', 'opaque'] as const).map((path): Check => ({
      name: `a response of a service worker that is ${path} is not taken for the service's`,
      async run() {
        // `fetch` takes it in a mode that sends no credential, or follows redirects.
        const taken = await fetch(new URL(`/user/worker/${path}`, service), {
          mode: path === 'opaque' ? 'no-cors' : 'cors',
        })
        equal(path === 'opaque' ? taken.type === 'opaque' : taken.redirected, true, path)
        const came = await ask(path).catch((error: unknown) => error)
        equal(came instanceof TypeError, true, 'a network error')
      },
    })),
  ]
}

async function startServiceWorker(): Promise<void> {
  const { serviceWorker } = navigator
  const controlled = new Promise((resolve) => {
    serviceWorker.addEventListener('controllerchange', resolve, { once: true })
  })
  await serviceWorker.register('/service-worker.js')
  await controlled
}
