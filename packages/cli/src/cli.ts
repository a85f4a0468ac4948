#!/usr/bin/env node
import { homedir } from 'node:os'
import { openSystemKeyring } from './configuration/keyring.ts'
import { exitCodes } from './exit.ts'
import { runProgram } from './program.ts'

const interruption = new AbortController()
/** The signals that end a command, with their numbers, which shells add to 128. */
const signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const
let received = signals.SIGINT as number
for (const [name, number] of Object.entries(signals)) {
  process.once(name, () => {
    received = number
    interruption.abort()
  })
}
let keyring: ReturnType<typeof openSystemKeyring> | undefined
const { env, stdin, stdout, stderr, platform } = process
// Nobody may be there to read why a command failed.
stderr.on('error', () => {})
// Not awaited here: what is loaded later shares code with this file, and would wait for its end.
void runProgram(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  platform,
  home: homedir(),
  clock: Date.now,
  signal: interruption.signal,
  openKeyring: () => (keyring ??= openSystemKeyring(env)),
}).then((code) => (process.exitCode = code === exitCodes.interrupted ? 128 + received : code))
