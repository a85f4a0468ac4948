import { authFetch, createSigV4Auth, type SigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { streaming } from '@svc/auth-sigv4/streaming'
import { defaultApiKeys } from '@svc/emulator'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { AuthScheme } from '@svc/types'
import type { ClientUnderTest, Connection } from '../../clients/client.ts'
import { axiosFetchClient, axiosHttpClient } from '../../clients/libraries/axios.ts'
import { fetchClient } from '../../clients/libraries/fetch.ts'
import { got16Client } from '../../clients/libraries/got.ts'
import { ky2Client } from '../../clients/libraries/ky.ts'
import { openapiFetchClient } from '../../clients/libraries/openapi-fetch.ts'
import { undiciRequestClient } from '../../clients/libraries/undici.ts'
import {
  type ClientName,
  clientNames,
  type Kind,
  needsToken,
  type Operation,
  sessionNames,
} from '../plan/operation.ts'
import type { SoakSessions } from './sessions.ts'

/** The clients of the program, each of them set up once for every scheme. */
export interface Connections {
  /** That of an operation. */
  of(operation: Operation): Connection
  /** One that is made for a request, to be closed after it. */
  fresh(operation: Operation): Connection
  /** Signs links. */
  readonly links: SigV4Auth
  /** Signs what checks on the others: nothing that goes wrong with them reaches it. */
  readonly checking: SigV4Auth
  /** Has every signer learn the time of the service, whatever it has learnt before. */
  setClocks(): Promise<void>
  close(): Promise<void>
}

const clients: Readonly<Record<ClientName, ClientUnderTest>> = {
  fetch: fetchClient,
  ky: ky2Client,
  'axios http': axiosHttpClient,
  'axios fetch': axiosFetchClient,
  got: got16Client,
  undici: undiciRequestClient,
  'openapi-fetch': openapiFetchClient,
}

/** Sets up every client with every scheme, since what is kept for that is no growth. */
export function openConnections(
  baseUrl: URL,
  sessions: SoakSessions,
  clock: () => number,
): Connections {
  const signing = (options: Partial<SigV4AuthOptions> = {}): SigV4Auth =>
    createSigV4Auth({
      baseUrl,
      region: 'us-east-1',
      credentials: defaultApiKeys[0],
      clock,
      ...options,
    })
  const signatures = {
    whole: signing(),
    'in chunks': signing({ payload: streaming({ chunkBytes: 16_384 }) }),
    'in chunks, trailer': signing({ payload: streaming({ trailer: 'crc32c' }) }),
  }
  const schemes = new Map<string, AuthScheme>(Object.entries(signatures))
  for (const session of sessionNames) {
    const token = sessions.of(session)
    schemes.set(session, token)
    for (const [name, sigv4] of Object.entries(signatures)) {
      schemes.set(`${session}, ${name}`, createServiceRoutes({ baseUrl, token, sigv4 }))
    }
  }
  const connections = new Map<string, Connection>()
  for (const client of clientNames) {
    for (const [name, scheme] of schemes) {
      connections.set(`${client}: ${name}`, clients[client].connect(scheme, {}))
    }
  }
  return {
    links: signatures.whole,
    checking: signing(),
    of(operation) {
      const connection = connections.get(`${operation.client}: ${schemeNameOf(operation)}`)
      if (!connection) throw new Error('there is a connection for every operation')
      return connection
    },
    fresh: ({ client, session }) => clients[client].connect(sessions.fresh(session), {}),
    async setClocks() {
      for (const sigv4 of Object.values(signatures)) {
        const response = await authFetch(sigv4)(new URL('/V1/?max-keys=1', baseUrl))
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`a signer did not learn the time: ${response.status}`)
      }
    },
    async close() {
      for (const connection of connections.values()) await connection.close?.()
    },
  }
}

function schemeNameOf(operation: Operation): string {
  const { kind, session, via } = operation
  // Only the selector knows both ways of one that is redirected from one to the other.
  if (via === 'selector' || kind === 'post, see other') {
    return `${session}, ${signatureNameOf(kind)}`
  }
  return needsToken(operation) ? session : signatureNameOf(kind)
}

function signatureNameOf(kind: Kind): string {
  if (kind === 'put in chunks' || kind === 'put, source stalls') return 'in chunks'
  if (kind === 'put in chunks, trailer' || kind === 'put, source fails') return 'in chunks, trailer'
  return 'whole'
}
