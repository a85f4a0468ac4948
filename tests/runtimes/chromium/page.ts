import type { Addresses } from '../addresses.ts'
import { createChecks } from '../checks.ts'
import { createClientChecks } from '../clients/client-checks.ts'
import { webClientsAndKy } from '../clients/web-clients.ts'
import { createOAuthChecks } from '../oauth-checks.ts'
import { runChecks } from '../run-checks.ts'
import { createPageChecks } from './page-checks.ts'
import { createServiceWorkerChecks } from './service-worker-checks.ts'
import { show } from '../../support/chromium/show.ts'

// Put there by the bundler.
declare const hostAddresses: Addresses

const checks = [
  ...createChecks(hostAddresses),
  ...createOAuthChecks(hostAddresses),
  ...createPageChecks(hostAddresses),
  ...createClientChecks(hostAddresses, webClientsAndKy),
  // Last, since from then on the service worker sees every request.
  ...createServiceWorkerChecks(hostAddresses),
]
show(await runChecks(checks))
