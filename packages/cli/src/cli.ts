#!/usr/bin/env node
import { homedir } from 'node:os'
import { openSystemKeyring } from './configuration/keyring.ts'
import { runProgram } from './program.ts'

const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort())
}
let keyring: ReturnType<typeof openSystemKeyring> | undefined
const { env, stdin, stdout, stderr, platform } = process
// Nobody may be there to read why a command failed.
stderr.on('error', () => {})
process.exitCode = await runProgram(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  platform,
  home: homedir(),
  clock: Date.now,
  signal: interruption.signal,
  openKeyring: () => (keyring ??= openSystemKeyring(env)),
})
