#!/usr/bin/env node
import { exitCodes } from './exit.ts'
import { Platform } from './platform/platform.ts'
import { thisSystem } from './platform/this-system.ts'
import { runProgram } from './program.ts'

const platform = new Platform(thisSystem)
const interruption = new AbortController()
let interruptedCode: number = exitCodes.interrupted
for (const [name, number] of Object.entries(platform.signals)) {
  process.once(name, () => {
    interruptedCode = 128 + number
    interruption.abort()
  })
}
const { env, stdin, stdout, stderr } = process
// A terminal that does not know its width says 0, and questions would have a character on each line.
for (const stream of [stdout, stderr]) if (stream.columns === 0) stream.columns = 80
// Nobody may be there to read why a command failed.
stderr.on('error', () => {})
// Not awaited here: what is loaded later shares code with this file, and would wait for its end.
void runProgram(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  platform,
  clock: Date.now,
  signal: interruption.signal,
}).then((code) => (process.exitCode = code === exitCodes.interrupted ? interruptedCode : code))
