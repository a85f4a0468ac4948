import { type Clock, createClock } from '../service/clock.ts'
import { type Service, startService } from '../service/service.ts'
import { type Connections, openConnections } from './connections.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { openStores, type Stores } from './stores.ts'

/** The program that sends, and the service that it sends to. */
export interface Stage {
  readonly service: Service
  readonly clock: Clock
  readonly stores: Stores
  readonly sessions: Sessions
  readonly connections: Connections
  /** The signal of the whole program, which never aborts. */
  readonly signal: AbortSignal
  close(): Promise<void>
}

/** Starts all of it. */
export async function openStage(): Promise<Stage> {
  const clock = createClock()
  const service = await startService()
  const stores = await openStores(clock.now)
  const sessions = openSessions(service.url, stores, clock.now)
  const connections = openConnections(service.url, sessions, clock.now)
  const { signal } = new AbortController()
  return {
    service,
    clock,
    stores,
    sessions,
    connections,
    signal,
    async close() {
      await connections.close()
      await stores.close()
      await service.close()
    },
  }
}
