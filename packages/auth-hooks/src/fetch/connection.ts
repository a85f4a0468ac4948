import type { Connection } from './connection.node.ts'

/** Returns nothing: only a request of Node or Deno holds a dispatcher or a client. */
export function heldConnection(_request: Request, _init: RequestInit): Connection {
  return {}
}

/** Does nothing, as there is no dispatcher. */
export function rememberDispatcher(_request: Request, _connection?: Connection): void {}
