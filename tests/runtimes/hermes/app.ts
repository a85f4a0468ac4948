import type { Addresses } from '../addresses.ts'
import { createChecks } from '../checks.ts'
import { createClientChecks } from '../clients/client-checks.ts'
import { webClientsAndKy } from '../clients/web-clients.ts'
import type { Report } from '../report.ts'
import { runChecks } from '../run-checks.ts'
import { createReactNativeChecks } from './checks.ts'

// The process that runs the engine calls it.
Object.assign(globalThis, {
  runApp: (addresses: Addresses): Promise<Report> =>
    runChecks([
      ...createChecks(addresses),
      ...createReactNativeChecks(addresses),
      ...createClientChecks(addresses, webClientsAndKy),
    ]),
})
