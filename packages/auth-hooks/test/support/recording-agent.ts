import { Agent } from 'node:http'
import type { Socket } from 'node:net'

/** An agent that keeps the sockets it opened. */
export class RecordingAgent extends Agent {
  readonly opened: Socket[] = []

  override createConnection(...parameters: Parameters<Agent['createConnection']>) {
    const socket = super.createConnection(...parameters)
    // An agent of HTTP opens TCP connections.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    this.opened.push(socket as Socket)
    return socket
  }
}
