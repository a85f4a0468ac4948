import type { TokenAuth } from '@svc/auth-token'
import type { AuthScheme, Fetch } from '@svc/types'
import type { Dispatcher } from 'undici'
import type { GlobalOptions } from './command.ts'
import { readConfiguration } from './configuration/configuration.ts'
import type { CommandContext } from './context.ts'

/** The service of the configuration, with everything that authenticates and sends requests to it. */
export interface Service {
  /** The base URL, without a slash at its end. */
  readonly baseUrl: string
  readonly region: string | undefined
  /** Chooses by route: a token below `/user`, a signature elsewhere. What is not configured is an `AuthError`. */
  readonly auth: AuthScheme
  readonly token: TokenAuth | undefined
  readonly sigv4: AuthScheme | undefined
  /** Returns what opens the connections, over a proxy where the environment names one; HTTP/1.1 or 2. */
  readonly dispatcher: () => Promise<Dispatcher>
  /** A `fetch` that sends over that, without credentials of its own. */
  readonly fetch: Fetch
  /** Closes the connections. */
  close(): Promise<void>
}

/**
 * Reads the configuration and opens the service.
 *
 * @throws UsageError if something of it is wrong or missing.
 */
export async function openService(
  options: GlobalOptions,
  context: CommandContext,
): Promise<Service> {
  const { baseUrl, region, user, apiKey } = await readConfiguration(options, context)
  const [{ createServiceRoutes }, { createSigV4Auth }, { createTokenAuth }, { AuthError }] =
    await Promise.all([
      import('@svc/route-auth-selector'),
      import('@svc/auth-sigv4'),
      import('@svc/auth-token'),
      import('@svc/auth-hooks'),
    ])
  // Loading it takes longer than most commands that send nothing.
  let opened: Promise<Dispatcher> | undefined
  const dispatcher = (): Promise<Dispatcher> => (opened ??= openDispatcher())
  // The types of the two `fetch` differ, and nothing else.
  const fetch = (async (input: string, init?: object) => {
    const undici = await import('undici')
    return undici.fetch(input, { ...init, dispatcher: await dispatcher() })
  }) as unknown as Fetch
  const { clock } = context
  const token =
    user &&
    createTokenAuth({
      baseUrl,
      fetch,
      clock,
      credentials: async () => ({
        username: user.username,
        password: await user.password(),
        ...(user.parentUid !== undefined && { parentUid: user.parentUid }),
      }),
    })
  const sigv4 =
    apiKey && createSigV4Auth({ baseUrl, clock, region: region ?? '', credentials: apiKey })
  const without = (what: string): AuthScheme => ({
    name: `without ${what}`,
    covers: () => true,
    authorize({ method, url }) {
      throw new AuthError(
        'ERR_AUTH_CREDENTIALS',
        `[@svc/cli] ${method} ${url.origin}${url.pathname} was not sent: no ${what} is configured`,
      )
    },
  })
  return {
    baseUrl,
    region,
    auth: createServiceRoutes({
      baseUrl,
      token: token ?? without('user'),
      sigv4: sigv4 ?? without('API key'),
    }),
    token,
    sigv4,
    dispatcher,
    fetch,
    close: async () => (await opened)?.close(),
  }
}

async function openDispatcher(): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import('undici')
  return new EnvHttpProxyAgent({ allowH2: true })
}
