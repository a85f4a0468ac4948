import { createDigestAuth } from '@svc/auth-digest'
import { createSigV4Auth, type SigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { createTokenAuth, type TokenAuth } from '@svc/auth-token'
import {
  createEmulator,
  defaultApiKeys,
  defaultUsers,
  type Emulator,
  type RecordedRequest,
} from '@svc/emulator'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { AuthScheme } from '@svc/types'
import { createDigestService } from '../../support/digest-service.ts'
import { makeTlsCertificate, type TlsCertificate } from '../../support/tls-certificate.ts'
import { type Front, startFront } from './front.ts'
import { startStrays, type Strays } from './strays.ts'

const [{ username, password }] = defaultUsers
// With a session token, which travels in a header of its own.
const apiKey = { ...defaultApiKeys[0], sessionToken: 'not-a-secret-session-token' }

/** The way in which a service is reached, and reads a path. */
export interface ServiceSettings {
  /** @default 'http' */
  readonly over?: 'http' | 'https'
  /** @default 'plus' */
  readonly plusInPath?: 'plus' | 'space'
}

/** The service as a client meets it, and another origin beside it. */
export interface Service {
  readonly emulator: Emulator
  readonly front: Front
  readonly strays: Strays
  /** The certificate to trust, where the front speaks TLS. */
  readonly ca: string | undefined
  /** The requests that were no logins. */
  readonly requests: () => readonly RecordedRequest[]
  readonly tokenAuth: (credentials?: { username: string; password: string }) => TokenAuth
  readonly sigV4Auth: (options?: Partial<SigV4AuthOptions>) => SigV4Auth
  /** Both, by the table of the service. */
  readonly serviceAuth: () => AuthScheme
  /** For the paths below `/digest/`. */
  readonly digestAuth: (password?: string) => AuthScheme
  /** Everything that must not show: what was sent, and what it was made from. */
  readonly secrets: () => readonly string[]
  close(): Promise<void>
}

let certificate: Promise<TlsCertificate> | undefined

/** Starts a service of its own, over plain HTTP/1.1 or over TLS. */
export async function startService({
  over = 'http',
  plusInPath = 'plus',
}: ServiceSettings): Promise<Service> {
  // So that no two signatures are of the same second.
  let now = Date.now()
  const clock = (): number => (now += 1000)
  const emulator = createEmulator({ apiKeys: [apiKey], clock: () => now, plusInPath })
  const server = await emulator.listen()
  const tls = over === 'https' ? await (certificate ??= makeTlsCertificate()) : undefined
  const front = await startFront(server.url, createDigestService({ username, password }), tls)
  const strays = await startStrays()
  const baseUrl = front.url

  const tokenAuth: Service['tokenAuth'] = (credentials = { username, password }) =>
    createTokenAuth({
      baseUrl,
      credentials,
      // Straight to the emulator, whose connections are not those that are counted.
      fetch: (input, init) => fetch(new URL(pathOf(input), server.url), init),
    })
  const sigV4Auth: Service['sigV4Auth'] = (options) =>
    createSigV4Auth({
      baseUrl,
      region: 'us-east-1',
      credentials: apiKey,
      clock,
      ...options,
    })
  return {
    emulator,
    front,
    strays,
    ca: tls?.cert,
    requests: () => emulator.requests.filter(({ path }) => path !== '/user/login'),
    tokenAuth,
    sigV4Auth,
    serviceAuth: () => createServiceRoutes({ baseUrl, token: tokenAuth(), sigv4: sigV4Auth() }),
    digestAuth: (given = password) =>
      createDigestAuth({ baseUrl, credentials: { username, password: given } }),
    secrets: () => [
      password,
      apiKey.secretAccessKey,
      apiKey.sessionToken,
      ...emulator.requests.flatMap(({ headers }) => sentCredentials(headers)),
    ],
    async close() {
      await Promise.all([front.close(), strays.close(), server.close()])
    },
  }
}

function sentCredentials(headers: Readonly<Record<string, string>>): string[] {
  const signature = /Signature=(\w+)/.exec(headers['authorization'] ?? '')?.[1]
  return [headers['x-svc-security-token'], signature].filter((text) => text !== undefined)
}

function pathOf(input: string | URL | Request): string {
  return new URL(input instanceof Request ? input.url : input).pathname
}
