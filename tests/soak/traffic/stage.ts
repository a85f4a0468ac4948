import { type Clock, createClock } from '../service/clock.ts'
import { type SoakService, startSoakService } from '../service/service.ts'
import { type Connections, openConnections } from './connections.ts'
import { openSessions, type SoakSessions } from './sessions.ts'
import { openStores, type Stores } from './stores.ts'

/** The program that sends, and the service that it sends to. */
export interface SoakStage {
  readonly service: SoakService
  readonly clock: Clock
  readonly stores: Stores
  readonly sessions: SoakSessions
  readonly connections: Connections
  /** The signal of the whole program, which never aborts. */
  readonly signal: AbortSignal
  close(): Promise<void>
}

/** Starts all of it. */
export async function openStage(): Promise<SoakStage> {
  const clock = createClock()
  const service = await startSoakService()
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
