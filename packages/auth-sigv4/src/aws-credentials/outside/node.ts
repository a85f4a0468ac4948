import { abortable } from '@svc/auth-hooks/scheme'
import type { Fetch } from '@svc/types'
import { nodeModule } from './node-module.ts'
import { codeOf, type Outside } from './outside.ts'
import { runCommand } from './run-command.ts'

/** The largest file that is read: a config file of 5 MB is not unheard of. */
const maxFileBytes = 16 * 1024 * 1024

const chunkBytes = 64 * 1024

/** The time in which a file must be read: one on a network may never come. */
const readMs = 5000

/** Returns the world as Node, Bun and Deno have it. Modules are loaded once they are needed. */
export function nodeOutside(
  fetch: Fetch,
  clock: () => number,
  signal?: AbortSignal,
  deadline: Outside['deadline'] = (ms) => {
    const time = AbortSignal.timeout(ms)
    return signal ? AbortSignal.any([signal, time]) : time
  },
): Outside {
  return {
    variable: (name) => process.env[name] || undefined,
    fetch,
    clock,
    signal,
    deadline,
    pause,
    home: () => nodeModule('os').homedir(),
    readFile: (path) => readFile(path, deadline(readMs)),
    async replaceFile(path, text) {
      const { rename, rm, writeFile } = nodeModule('fs/promises')
      const temporary = `${path}.${nodeModule('crypto').randomUUID()}`
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The time after which a pipe that has nothing yet is read again. */
const emptyPipeMs = 20

/** Reads a file to its end. A pipe is waited for: a writer may come, as that of a shell does. */
async function readFile(path: string, signal: AbortSignal): Promise<Uint8Array> {
  const { constants, open } = nodeModule('fs/promises')
  // A pipe without a writer would hold a thread of the process, and the process itself, for ever.
  const file = await abortable(open(path, constants.O_RDONLY | constants.O_NONBLOCK), signal)
  try {
    const isPipe = (await file.stat()).isFIFO()
    const chunks: Buffer[] = []
    // Not by its size: that of a device or a pipe is 0.
    for (let bytes = 0; ;) {
      const chunk = Buffer.alloc(chunkBytes)
      const count = await abortable(file.read(chunk), signal).then(
        ({ bytesRead }) => bytesRead,
        (error: unknown) => {
          if (codeOf(error) === 'EAGAIN') return undefined
          throw error
        },
      )
      if (count === undefined || (count === 0 && bytes === 0 && isPipe)) {
        await abortable(pause(emptyPipeMs), signal)
        continue
      }
      if (count === 0) return Buffer.concat(chunks)
      bytes += count
      if (bytes > maxFileBytes) throw Object.assign(new Error(), { code: 'EFBIG' })
      chunks.push(chunk.subarray(0, count))
    }
  } finally {
    // Not waited for: it would wait for a read that never ends.
    void file.close().catch(() => {})
  }
}
