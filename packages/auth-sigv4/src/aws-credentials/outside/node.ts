import { abortable } from '@svc/auth-hooks/scheme'
import type { Fetch } from '@svc/types'
import { nodeModule } from './node-module.ts'
import type { Outside } from './outside.ts'
import { runCommand } from './run-command.ts'

/** The largest file that is read: a config file of 5 MB is not unheard of. */
const maxFileBytes = 16 * 1024 * 1024

/** The time in which a file must be read: one on a network may never come. */
const readMs = 5000

/** Returns the world as Node, Bun and Deno have it. Modules are loaded once they are needed. */
export function nodeOutside(
  fetch: Fetch,
  clock: () => number,
  deadline: Outside['deadline'] = (ms) => AbortSignal.timeout(ms),
): Outside {
  return {
    variable: (name) => process.env[name] || undefined,
    fetch,
    clock,
    deadline,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    home: () => nodeModule('os').homedir(),
    async readFile(path) {
      const { open } = nodeModule('fs/promises')
      const signal = deadline(readMs)
      // A pipe that nobody writes to does not even open.
      const file = await abortable(open(path), signal)
      try {
        // Not by its size: that of a device or a pipe is 0.
        const stream = file.createReadStream({ autoClose: false, signal })
        const chunks: Buffer[] = []
        let bytes = 0
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          bytes += chunk.byteLength
          if (bytes > maxFileBytes) throw Object.assign(new Error(), { code: 'EFBIG' })
          chunks.push(chunk)
        }
        return Buffer.concat(chunks)
      } finally {
        await file.close()
      }
    },
    async replaceFile(path, text) {
      const { rename, rm, writeFile } = nodeModule('fs/promises')
      const temporary = `${path}.${process.pid}.${clock()}`
      try {
        await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },
    run: (command) => runCommand(command, deadline),
  }
}
