import { fork } from 'node:child_process'
import { once } from 'node:events'
import { bundleForNode } from './bundle.ts'

/** Where requests go: servers in processes of their own, whose CPU time is not that of a client. */
export interface Service {
  readonly url: string
  close(): Promise<void>
}

/** Answers every request with the same few bytes, and verifies nothing. */
export const startBareServer = (): Promise<Service> => start('../jobs/bare-server.ts')

/** The emulator, which verifies every request. */
export const startEmulator = (): Promise<Service> => start('../jobs/emulator-server.ts')

async function start(entry: string): Promise<Service> {
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
