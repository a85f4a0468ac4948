import { createSigV4Auth } from '@svc/auth-sigv4'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { AuthScheme, Fetch } from '@svc/types'
import type { Addresses } from '../addresses.ts'
import { equal, rejectsWith } from '../assert.ts'
import type { Check } from '../check.ts'
import { createControl } from '../control.ts'
import { apiKey, credentials } from '../credentials.ts'
import { readEcho } from './echo.ts'

/** Checks in a page of another origin than the service's. */
export function createPageChecks({
  service,
  control: controlAddress,
}: Addresses): readonly Check[] {
  const control = createControl(controlAddress)
  const token = createTokenAuth({ baseUrl: service, credentials })
  const sigv4 = createSigV4Auth({ baseUrl: service, region: 'us-east-1', credentials: apiKey })
  const groupsUrl = new URL('/user/groups', service)
  const ownScheme: AuthScheme = {
    name: 'own',
    covers: ({ origin }) => origin === location.origin,
    authorize: () => ({ scheme: 'own', headers: [['x-own', 'credential']] }),
  }
  const violations: string[] = []
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    violations.push(`${violatedDirective} ${blockedURI}`)
  })

  return [
    {
      name: 'the browser asked the service for permission, in a preflight',
      async run() {
        equal((await control.state()).preflights > 0, true, 'preflights')
      },
    },
    {
      name: 'no-cors, which would drop the credential, is refused before anything is sent',
      async run() {
        const before = await control.state()
        for (const scheme of [token, sigv4]) {
          await rejectsWith(authFetch(scheme)(groupsUrl, { mode: 'no-cors' }), 'ERR_AUTH_HEADER')
          const request = new Request(groupsUrl, { mode: 'no-cors' })
          await rejectsWith(authFetch(scheme)(request), 'ERR_AUTH_HEADER')
        }
        equal((await control.state()).arrived, before.arrived, 'requests')
      },
    },
    {
      name: 'a relative URL is resolved against the document, including its base',
      async run() {
        const sendOwn = authFetch(ownScheme)
        equal((await readEcho(await sendOwn('/echo/a?b'))).url, '/echo/a?b', 'target')
        const base = document.head.appendChild(document.createElement('base'))
        base.href = '/echo/below/'
        const { url, headers } = await readEcho(await sendOwn('../c'))
        base.remove()
        equal(url, '/echo/c', 'target')
        equal(headers['x-own'] ?? '', 'credential', 'credential')
        await rejectsWith(authFetch(token)('/user/groups'), 'ERR_AUTH_ORIGIN')
        const serviceFetch = authFetch(token, { baseUrl: service })
        equal((await serviceFetch('/user/groups')).status, 200, 'status below baseUrl')
      },
    },
    {
      name: 'keepalive reaches the browser',
      async run() {
        const kept: boolean[] = []
        const send: Fetch = (input, init) => {
          const request = new Request(input, init)
          kept.push(request.keepalive)
          return fetch(request)
        }
        const groups = await authFetch(token, { fetch: send })(groupsUrl, { keepalive: true })
        equal(groups.status, 200, 'status')
        // Signing changes this address, and with it the Request.
        const request = new Request(new URL('/V1/a+b', service), { keepalive: true })
        equal((await authFetch(sigv4, { fetch: send })(request)).status, 404, 'status')
        equal(kept.join(), 'true,true', 'keepalive')
      },
    },
    {
      name: 'a policy without eval and inline scripts is in force, and nothing has violated it',
      async run() {
        equal(violations.join(', '), '', 'violations')
        equal(canEvaluate(), false, 'eval')
      },
    },
  ]
}

function canEvaluate(): boolean {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- it is what the policy must forbid
    return new Function('return true')() === true
  } catch {
    return false
  }
}
