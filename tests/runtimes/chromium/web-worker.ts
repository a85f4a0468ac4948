import type { Addresses } from '../addresses.ts'
import { createChecks } from '../checks.ts'
import { runChecks } from '../run-checks.ts'

// Put there by the bundler.
declare const hostAddresses: Addresses

postMessage(await runChecks(createChecks(hostAddresses)))
