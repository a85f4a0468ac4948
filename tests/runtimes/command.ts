import process from 'node:process'
import type { Addresses } from './addresses.ts'
import { createChecks } from './checks.ts'
import { createClientChecks } from './clients/client-checks.ts'
import { nodeClients } from './clients/node-clients.ts'
import { createOAuthChecks } from './oauth-checks.ts'
import { runChecks } from './run-checks.ts'

const [, , service, control] = process.argv
if (!service || !control) throw new Error('usage: command <service> <control>')
const addresses: Addresses = { service, control }
const report = await runChecks([
  ...createChecks(addresses),
  ...createOAuthChecks(addresses),
  ...createClientChecks(addresses, nodeClients),
])
console.log(JSON.stringify(report))
