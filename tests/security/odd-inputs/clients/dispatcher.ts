/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import type * as undici8 from 'undici'
import type { Dispatcher } from 'undici'
import type * as undici7 from 'undici7'
import { guardHeader } from '../guard.ts'
import type { ClientSetup } from './client.ts'

/** A copy of undici. */
export type Undici = typeof undici8 | typeof undici7

/** Makes a dispatcher of the caller's own, which may be a bad one. */
export function dispatcherOf(
  { Agent: DispatcherAgent }: Undici,
  transport: ClientSetup['transport'],
): { dispatcher: Dispatcher | undefined; close: () => Promise<void> } {
  if (transport === 'default') return { dispatcher: undefined, close: () => Promise.resolve() }
  const connect =
    transport === 'failing'
      ? (_: unknown, callback: (error: Error, socket: null) => void) =>
          callback(new Error('no connection'), null)
      : transport === 'stuck'
        ? () => {}
        : undefined
  const agent = new DispatcherAgent(connect ? { connect: connect as never } : {}) as Dispatcher
  if (transport === 'destroyed') void agent.destroy()
  const dispatch = agent.dispatch.bind(agent)
  agent.dispatch = (options, handler) => {
    if (transport === 'throwing') throw new Error('it takes nothing')
    return dispatch({ ...options, headers: guarded(options.headers) }, handler)
  }
  return { dispatcher: agent, close: () => agent.destroy() }
}

function guarded(
  headers: Dispatcher.DispatchOptions['headers'],
): NonNullable<Dispatcher.DispatchOptions['headers']> {
  const own = [guardHeader, 'guard']
  if (Array.isArray(headers)) return [...headers, ...own]
  if (headers && Symbol.iterator in headers) return [...headers, own].flat() as string[]
  return { ...(headers as Record<string, string>), [guardHeader]: 'guard' }
}
