import { fork } from 'node:child_process'
import { once } from 'node:events'
import { bundleForNode } from './bundle.ts'

/** A server in a process of its own, whose CPU time does not count for the client. */
export interface ServerProcess {
  readonly url: string
  close(): Promise<void>
}

/** Starts a server that sends every client the same few bytes, and verifies nothing. */
export const startBareServer = (): Promise<ServerProcess> => start('../jobs/bare-server.ts')

/** Starts the emulator, which verifies every request. */
export const startEmulator = (): Promise<ServerProcess> => start('../jobs/emulator-server.ts')

async function start(entry: string): Promise<ServerProcess> {
  const child = fork(await bundleForNode(entry), { execArgv: [] })
  const [url] = await once(child, 'message')
  return {
    url: String(url),
    async close() {
      const closed = once(child, 'exit')
      child.kill()
      await closed
    },
  }
}
