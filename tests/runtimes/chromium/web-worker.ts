import type { Addresses } from '../addresses.ts'
import { createChecks } from '../checks.ts'
import { createClientChecks } from '../clients/client-checks.ts'
import { webClientsAndKy } from '../clients/web-clients.ts'
import { createOAuthChecks } from '../oauth-checks.ts'
import { runChecks } from '../run-checks.ts'

// Put there by the bundler.
declare const hostAddresses: Addresses

const checks = [
  ...createChecks(hostAddresses),
  ...createOAuthChecks(hostAddresses),
  ...createClientChecks(hostAddresses, webClientsAndKy),
]
postMessage(await runChecks(checks))
