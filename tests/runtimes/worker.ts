import { authFetch } from '@svc/auth-token'
import { dpop } from '@svc/auth-token/dpop'
import type { Addresses } from './addresses.ts'
import { createChecks } from './checks.ts'
import { createClientChecks } from './clients/client-checks.ts'
import { webClientsAndKy } from './clients/web-clients.ts'
import { portableDigest } from './digest-checks.ts'
import { createOAuthChecks, oauthSession } from './oauth-checks.ts'
import { runChecks } from './run-checks.ts'
import { createLogins, type WorkerContext } from './worker-logins.ts'

// Put there by the bundler, since a worker is given its bindings only with a request.
declare const hostAddresses: Addresses

// At module level on purpose: workerd forbids the network, timers and randomness here.
const checks = [
  ...createChecks(hostAddresses),
  ...createOAuthChecks(hostAddresses),
  ...createClientChecks(hostAddresses, webClientsAndKy),
]
const logins = createLogins(hostAddresses)
const { control } = hostAddresses
const visitDigest = authFetch(portableDigest(hostAddresses), { baseUrl: control })
const bound = oauthSession(hostAddresses, 'visitors', { dpop: dpop() })
const visitBound = authFetch(bound, { baseUrl: control })

export default {
  async fetch(request: Request, _environment: unknown, context: WorkerContext): Promise<Response> {
    const [, action, name] = new URL(request.url).pathname.split('/')
    const session = name === 'kept' ? 'kept' : 'left'
    if (action === 'begin') return logins.begin(session, context)
    if (action === 'invalidate') return logins.invalidate(session, context)
    if (action === 'visit' && name === 'digest') return visitDigest('/digest/SHA-256/a')
    if (action === 'visit') return visitBound('/oauth/bound/a')
    if (action === 'join') return logins.join(session, context)
    return Response.json(await runChecks(checks))
  },
}
