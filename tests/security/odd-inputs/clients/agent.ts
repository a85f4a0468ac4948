/* oxlint-disable typescript/no-unsafe-type-assertion -- odd values are given where the types of the clients allow none */
import { Agent, type Agent as HttpAgent, type ClientRequest } from 'node:http'
import { guardHeader } from '../guard.ts'
import type { ClientSetup } from './client.ts'

/** Makes an agent of the caller's own, which may be a bad one. */
export function agentOf(transport: ClientSetup['transport']): {
  agent: HttpAgent | undefined
  close: () => Promise<void>
} {
  if (transport === 'default') return { agent: undefined, close: () => Promise.resolve() }
  const agent = new Agent({ keepAlive: true })
  const own = agent as unknown as Record<string, (...all: unknown[]) => unknown>
  const add = own['addRequest']?.bind(agent)
  own['addRequest'] = (request, ...rest) => {
    if (transport === 'throwing') throw new Error('it takes nothing')
    ;(request as ClientRequest).setHeader(guardHeader, 'guard')
    return add?.(request, ...rest)
  }
  const fail = (): never => {
    throw new Error('no connection')
  }
  if (transport === 'failing') own['createConnection'] = fail
  if (transport === 'stuck') own['createConnection'] = () => undefined
  if (transport === 'destroyed') agent.destroy()
  return { agent, close: () => Promise.resolve(agent.destroy()) }
}
