import type { Addresses } from './addresses.ts'
import { createChecks } from './checks.ts'
import { runChecks } from './run-checks.ts'

// Put there by the bundler, since a worker is given its bindings only with a request.
declare const hostAddresses: Addresses

// At module level on purpose: workerd forbids the network, timers and randomness here.
const checks = createChecks(hostAddresses)

export default {
  async fetch(): Promise<Response> {
    return Response.json(await runChecks(checks))
  },
}
