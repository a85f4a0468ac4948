import type { Server } from 'node:http'

/** A server on loopback. */
export interface LoopbackServer {
  readonly url: URL
  /** Ends the server with whatever is under way. */
  readonly close: () => Promise<void>
}

/** Starts a server on a free port of loopback. */
export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return {
    url: new URL(`http://127.0.0.1:${address.port}/`),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
