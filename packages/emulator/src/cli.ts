#!/usr/bin/env node
import { readCommand, usage } from './command.ts'
import { defaultApiKeys, defaultUsers } from './defaults.ts'
import { createEmulator } from './emulator.ts'

const command = readCommand(process.argv.slice(2))
if (command.kind === 'help') {
  process.stdout.write(usage)
} else if (command.kind === 'wrong') {
  process.stderr.write(`svc-emulator: ${command.message}\n\n${usage}`)
  process.exitCode = 2
} else {
  await serve(command)
}

async function serve({ port, host, region }: { port: number; host: string; region: string }) {
  // It may run for days, and nobody reads what it recorded.
  const emulator = createEmulator({ region, maxRecordedRequests: 1 })
  try {
    const server = await emulator.listen({ port, host })
    process.stdout.write(welcome(server.url, region))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void server.close())
    }
  } catch (error) {
    process.stderr.write(
      `svc-emulator: ${error instanceof Error ? error.message : String(error)}\n`,
    )
    process.exitCode = 1
  }
}

function welcome(url: URL, region: string): string {
  const users = defaultUsers.map(({ username, password, parentUid }) => {
    const parent = parentUid === undefined ? '' : `  ParentUid ${parentUid}`
    return `  user      ${username}  password ${password}${parent}`
  })
  const apiKeys = defaultApiKeys.map(
    ({ accessKeyId, secretAccessKey }) => `  API key   ${accessKeyId}  secret ${secretAccessKey}`,
  )
  return [`Listening on ${url.href}`, `  region    ${region}`, ...users, ...apiKeys, '']
    .map((line) => `${line}\n`)
    .join('')
}
