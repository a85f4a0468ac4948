#!/usr/bin/env node
import { runEmulatorCommand } from './command.ts'

const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => ending.abort())
}
const { stdout, stderr } = process
process.exitCode = await runEmulatorCommand(process.argv.slice(2), {
  stdout,
  stderr,
  signal: ending.signal,
})
