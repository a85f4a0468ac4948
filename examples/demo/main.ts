import { createEmulator, defaultUsers } from '@svc/emulator'
import type { Authorization } from '@svc/types'
import { createClients } from './clients.ts'
import { formatFailure, formatSteps } from './report.ts'
import type { StepResult } from './step.ts'
import { createSteps, objectNames } from './steps.ts'
import { takeStep } from './take-step.ts'

const emulator = createEmulator()
const server = await emulator.listen()
const authorizations: Authorization[] = []
const record = (authorization: Authorization): void => {
  authorizations.push(authorization)
}
const [primaryUser, subaccountUser] = defaultUsers
const steps = createSteps(server.url, emulator, {
  primary: createClients(server.url, primaryUser, record),
  subaccount: createClients(server.url, subaccountUser, record),
})

const results: StepResult[] = []
for (const step of steps) {
  results.push(await takeStep(emulator, authorizations, step))
}
await server.close()

const failures = results.filter(({ isAsExpected }) => !isAsExpected)
const useColour = process.stdout.isTTY && !process.env['NO_COLOR']
console.log(`
A local service for this demo: ${server.url.href}
Object names as the caller writes them, with nothing encoded:
  ${objectNames.fetch}
  ${objectNames.ky}

${formatSteps(results, useColour)}
${failures.map((failure) => `\n${formatFailure(failure)}\n`).join('')}
${steps.length - failures.length} of ${steps.length} steps as expected, ${emulator.logins} logins.

Read next: README.md says which package you need; examples/demo/steps.ts is what just ran.
ARCHITECTURE.md shows what happens to a request between your call and the wire.`)
if (failures.length > 0) process.exitCode = 1
