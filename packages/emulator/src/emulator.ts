import { checksOf } from './checks.ts'
import { createExchange } from './exchange.ts'
import { createFaultList, type Fault } from './http/faults.ts'
import { createPendingBytes } from './http/pending.ts'
import { createRecorder, type RecordedRequest } from './http/recorder.ts'
import { createInProcessFetch, type InProcessFetch } from './in-process.ts'
import { listen, type ListeningEmulator, type ListenOptions } from './listen.ts'
import { createObjectStore } from './objects/store.ts'
import { type EmulatorOptions, readEmulatorOptions } from './options.ts'
import { createTokenIssuer } from './user/tokens.ts'

/** A local stand-in for the service, with its own users, tokens and objects. */
export interface Emulator {
  /**
   * Handles a request in process, without a socket. There is no raw request line, so the URL takes
   * its place. Redirects are returned, not followed.
   */
  readonly fetch: InProcessFetch
  /**
   * Listens on a socket, 127.0.0.1 and a free port by default. Signatures are verified from the raw
   * request line and headers.
   *
   * @throws TypeError if an option is invalid.
   * @throws The system's error, such as `EADDRINUSE`, if it cannot listen there.
   */
  listen(options?: ListenOptions): Promise<ListeningEmulator>
  /** The requests that arrived, in order, with the result of their verification. The list is live. */
  readonly requests: readonly RecordedRequest[]
  /** The number of `POST /user/login` requests that returned a token. */
  readonly logins: number
  /**
   * Revokes the tokens issued so far.
   *
   * @param username - The user whose tokens to revoke; all users if omitted.
   * @throws TypeError if `username` is neither omitted nor a non-empty string.
   */
  revokeTokens(username?: string): void
  /**
   * Makes something go wrong for the requests it matches. If several faults match, the one added
   * first applies.
   *
   * @throws TypeError if a field is invalid.
   */
  fault(fault: Fault): {
    /** Removes the fault. */
    clear(): void
  }
  /** Clears requests, the login count, objects and faults. Tokens stay valid. */
  reset(): void
}

/**
 * Creates an emulator of the service, with its own users, tokens and objects.
 *
 * @throws TypeError if an option is wrong; the message names it.
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
  const settings = readEmulatorOptions(options)
  const issuer = createTokenIssuer(settings.tokenLifetimeSeconds)
  const objects = createObjectStore()
  const recorder = createRecorder(
    settings.maxRecordedRequests,
    settings.maxRecordedBytes,
    settings.onRequest,
  )
  const pendingBytes = createPendingBytes(settings.maxPendingBytes)
  const faults = createFaultList()
  let logins = 0
  const tokens = {
    ...issuer,
    issue: (...issued: Parameters<typeof issuer.issue>) => {
      logins += 1
      return issuer.issue(...issued)
    },
  }
  const exchange = createExchange({ settings, tokens, objects }, recorder, faults)
  return Object.freeze({
    fetch: createInProcessFetch(exchange, settings.maxBodyBytes, pendingBytes),
    listen: (where: ListenOptions = {}) =>
      listen(exchange, settings.maxBodyBytes, pendingBytes, where),
    requests: recorder.requests,
    get logins() {
      return logins
    },
    revokeTokens: (username?: string) => {
      if (username !== undefined) checksOf('revokeTokens').text(username, 'username')
      issuer.revoke(username)
    },
    fault: (fault: Fault) => faults.add(fault),
    reset: () => {
      recorder.clear()
      objects.clear()
      faults.clear()
      logins = 0
    },
  })
}
