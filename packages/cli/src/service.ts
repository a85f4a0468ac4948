import type { AuthScheme, Fetch } from '@svc/types'
import type { Dispatcher } from 'undici'
import type { GlobalOptions } from './command.ts'
import {
  type Configuration,
  missingSetting,
  readConfiguration,
} from './configuration/configuration.ts'
import { missingSecret } from './configuration/configured-key.ts'
import type { Found } from './configuration/settings.ts'
import type { CommandContext } from './context.ts'
import { UsageError } from './exit.ts'
import { readUsableKey } from './request/key-faults.ts'
import { loadUndiciParts, namedProxies } from './request/undici.ts'
import type { UserSession } from './session/session.ts'

/** The service of the configuration, with everything that authenticates and sends requests to it. */
export interface Service {
  /** The base URL, without a slash at its end. */
  readonly baseUrl: string
  /** Chooses by route: a token below `/user`, a signature elsewhere. What is not configured is an `AuthError`. */
  readonly auth: AuthScheme
  /** The session of the user, with the record that all commands share. */
  readonly session: UserSession | undefined
  readonly configuration: Configuration
  /** Returns what opens the connections, over a proxy where the environment names one; HTTP/1.1 or 2. */
  readonly dispatcher: () => Promise<Dispatcher>
  /** A `fetch` that sends over that, without credentials of its own. */
  readonly fetch: Fetch
  /**
   * Ends the session and closes the connections.
   *
   * @param isFailed - `true` breaks off requests that are under way, such as a login, as an interruption does.
   */
  close(isFailed?: boolean): Promise<void>
}

/** Reads the configuration and opens the service. */
export async function openService(
  options: GlobalOptions,
  context: CommandContext,
): Promise<Service> {
  return openConfigured(await readConfiguration(options, context), context)
}

/** Opens the service of a configuration that was read. */
export async function openConfigured(
  configuration: Configuration,
  context: CommandContext,
  mayLogIn = true,
): Promise<Service> {
  const { user, key, region, allowsInsecureHttp, signIn, repeatedParameters } = configuration
  const found = configuration.baseUrl
  if (!found) throw missingSetting('base URL', 'base-url', configuration)
  const { baseUrl, isLocal } = await checkBaseUrl(found, configuration)
  const { createServiceRoutes } = await import('@svc/route-auth-selector')
  // Loading it takes longer than most commands that send nothing.
  let opened: Promise<Dispatcher> | undefined
  const dispatcher = (): Promise<Dispatcher> =>
    (opened ??= openDispatcher(configuration, isLocal, context))
  // The types of the two `fetch` differ, and nothing else.
  const fetch = (async (input: string, init?: object) => {
    const undici = await import('undici')
    return undici.fetch(input, { ...init, dispatcher: await dispatcher() })
  }) as unknown as Fetch
  const settings = { baseUrl, fetch, context, mayLogIn, allowsInsecureHttp }
  const signedIn =
    signIn && (await (await import('./session/sign-in.ts')).openSignIn({ ...settings, signIn }))
  const session =
    signedIn ??
    (user && (await (await import('./session/session.ts')).openUserSession({ ...settings, user })))
  const place = key && (await key.find())
  const sigv4 =
    region && place
      ? (await import('@svc/auth-sigv4')).createSigV4Auth({
          baseUrl,
          region: region.value,
          repeatedParameters,
          credentials: () => readUsableKey(place, key?.accessKeyId, context.clock),
          clock: context.clock,
        })
      : undefined
  return {
    baseUrl,
    // Its token is for every path, as are signatures for AWS.
    auth:
      signedIn?.auth ??
      (await configuration.aws?.openAuth(place)) ??
      createServiceRoutes({
        baseUrl,
        token:
          session?.auth ??
          (await missingScheme(missingSetting(neededUser, 'username', configuration))),
        sigv4: sigv4 ?? (await missingScheme(await missingForSignature(configuration, context))),
      }),
    session,
    configuration,
    dispatcher,
    fetch,
    async close(isFailed = false) {
      const connections = await opened?.catch(() => undefined)
      const isBrokenOff = isFailed || context.signal.aborted
      if (isBrokenOff) await connections?.destroy()
      await session?.close()
      if (!isBrokenOff) await connections?.close()
    },
  }
}

const neededUser = 'user name, and paths below /user take the token of a user'

async function openDispatcher(
  { offersHttp2 }: Configuration,
  isLocal: boolean,
  context: CommandContext,
): Promise<Dispatcher> {
  const proxies = namedProxies(context)
  if (isLocal || proxies.httpProxy + proxies.httpsProxy === '') {
    const { Agent } = loadUndiciParts()
    return new Agent({ allowH2: offersHttp2 })
  }
  const { EnvHttpProxyAgent } = await import('undici')
  return new EnvHttpProxyAgent({ allowH2: offersHttp2, ...proxies })
}

type HttpSettings = Pick<Configuration, 'allowsInsecureHttp' | 'proxiesLoopback'>

/** Checks the base URL, and tells if what is sent to it stays on this machine. */
export async function checkBaseUrl(
  { value, source }: Found,
  { allowsInsecureHttp, proxiesLoopback }: HttpSettings,
): Promise<{ readonly baseUrl: string; readonly isLocal: boolean }> {
  const { isLoopback, parseBaseUrl } = await import('@svc/auth-hooks/scheme')
  try {
    const url = parseBaseUrl(value, source)
    const isLocal = isLoopback(url) && !proxiesLoopback
    if (url.protocol === 'http:' && !isLocal && !allowsInsecureHttp) {
      throw new UsageError(
        `${url.origin} (from ${source}) is not https: whoever is on the way reads passwords, tokens and data; ` +
          'use https, or --allow-insecure-http on a network of your own',
      )
    }
    return { baseUrl: url.href.replace(/\/+$/, ''), isLocal }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message.replace(': baseUrl', ': the base URL'), { cause: error })
  }
}

/** Says why requests cannot be signed. */
export async function missingForSignature(
  configuration: Configuration,
  context: CommandContext,
): Promise<UsageError> {
  const { key, region } = configuration
  if (!key) return missingSetting('API key', 'access-key-id', configuration)
  if (!region) return missingSetting('region', 'region', configuration)
  return missingSecret(key, context)
}

/** Returns a scheme for requests that cannot be authenticated: it says which setting is missing, and nothing is sent. */
async function missingScheme({ message }: UsageError): Promise<AuthScheme> {
  const { AuthError } = await import('@svc/auth-hooks')
  return {
    name: 'missing',
    covers: () => true,
    authorize({ method, url }) {
      throw new AuthError(
        'ERR_AUTH_CREDENTIALS',
        `[@svc/cli] ${method} ${url.origin}${url.pathname} was not sent, since there is ${message}`,
      )
    },
  }
}
