import { createExchange } from './exchange.ts'
import { readOptions, type EmulatorOptions } from './emulator-options.ts'
import { createFaultList } from './fault-list.ts'
import type { Fault } from './fault.ts'
import { createInProcessFetch, type InProcessFetch } from './in-process.ts'
import { listen, type ListeningEmulator, type ListenOptions } from './listen.ts'
import { createObjectSpace } from './object-space.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { createRecorder } from './recorder.ts'
import { createSessions } from './sessions.ts'

/** A local stand-in for the service, with users, tokens and objects of its own. */
export interface Emulator {
  /**
   * Answers in process, without a socket. There is no raw request line then: the URL stands for it.
   * Redirects are handed back, not followed.
   */
  readonly fetch: InProcessFetch
  /**
   * Answers on a socket, 127.0.0.1 and a free port by default. Signatures are verified from the raw
   * request line and headers.
   *
   * @throws TypeError where `port` or `host` cannot be used.
   * @throws The system's error, such as `EADDRINUSE`, where it cannot listen there.
   */
  listen(options?: ListenOptions): Promise<ListeningEmulator>
  /** What arrived, in order, with what was verified. The list grows by itself. */
  readonly requests: readonly RecordedRequest[]
  /** How many `POST /user/login` were answered with a token. */
  readonly logins: number
  /**
   * Makes tokens that were issued so far invalid.
   *
   * @param username - Whose tokens; without it, those of all users.
   */
  revokeTokens(username?: string): void
  /**
   * Lets something go wrong for the requests that it meets. Of several faults the first that was
   * added and meets a request counts.
   *
   * @throws TypeError where a field cannot be used.
   */
  fault(fault: Fault): {
    /** Takes the fault away. */
    clear(): void
  }
  /** Forgets requests, the count of logins, objects and faults. Tokens stay valid. */
  reset(): void
}

/**
 * Makes an emulator of the service, with its own users, tokens and objects.
 *
 * @throws TypeError where an option is wrong; the message names it.
 * @example
 * import { createEmulator } from '@svc/emulator'
 *
 * const emulator = createEmulator()
 * const server = await emulator.listen()
 * console.log(server.url.href)
 * await server.close()
 * @see Interface of the service, sections 4 and 5
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = readOptions(options)
  const sessions = createSessions(settings.tokenLifetimeSeconds)
  const objects = createObjectSpace()
  const recorder = createRecorder(settings.maxRecordedRequests)
  const faults = createFaultList()
  let logins = 0
  const counted = {
    ...sessions,
    issue: (...issued: Parameters<typeof sessions.issue>) => {
      logins += 1
      return sessions.issue(...issued)
    },
  }
  const exchange = createExchange({ settings, sessions: counted, objects }, recorder, faults)
  return Object.freeze({
    fetch: createInProcessFetch(exchange, settings.maxBodyBytes),
    listen: (where: ListenOptions = {}) => listen(exchange, settings.maxBodyBytes, where),
    requests: recorder.requests,
    get logins() {
      return logins
    },
    revokeTokens: (username?: string) => sessions.revoke(username),
    fault: (fault: Fault) => faults.add(fault),
    reset: () => {
      recorder.clear()
      objects.clear()
      faults.clear()
      logins = 0
    },
  })
}
