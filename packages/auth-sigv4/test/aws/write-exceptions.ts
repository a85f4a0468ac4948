import { writeFile } from 'node:fs/promises'
import { knownHosts, writeExceptions } from './known-hosts.ts'

await writeFile(
  new URL('../../src/aws/exceptions.ts', import.meta.url),
  writeExceptions(await knownHosts()),
)
