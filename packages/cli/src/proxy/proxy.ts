import { isLoopback } from '@svc/auth-hooks/scheme'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { Dispatcher } from 'undici'
import type { CommandContext } from '../context.ts'
import type { Service } from '../service.ts'
import { createAdmission } from './admission.ts'
import { createProxyExchange, type ExchangeSettings } from './exchange.ts'
import { createForward } from './forward.ts'
import { listen, type ListenAddress } from './listen.ts'
import { createRequestLog } from './log.ts'
import { readRules } from './rules.ts'
import { createProxyServer, defaultLimits, type ServerLimits } from './server.ts'
import type { ProxyCredentials } from './ways.ts'

/** Everything that a proxy is made of. */
export interface ProxySettings extends Pick<ExchangeSettings, 'describe'> {
  readonly service: Pick<Service, 'auth' | 'baseUrl' | 'dispatcher'>
  readonly address: ListenAddress
  readonly allow: readonly string[]
  readonly isReadOnly: boolean
  readonly credentials: Pick<ProxyCredentials, 'secret' | 'keyPair'>
  readonly log: 'text' | 'json' | 'none'
  readonly context: Pick<CommandContext, 'clock' | 'stdout' | 'platform'>
  readonly limits?: ServerLimits
}

/** A proxy that listens. */
export interface RunningProxy {
  /** `http://127.0.0.1:8377`, or `unix:` and the path of the socket. */
  readonly url: string
  /** Loads what the first request needs, which takes longer than to listen. Rejects if it cannot be had. */
  ready(): Promise<void>
  /** Takes no more requests, and breaks off those that are still under way after a while. */
  close(graceMs: number): Promise<void>
}

/** Starts a proxy. */
export async function startProxy(settings: ProxySettings): Promise<RunningProxy> {
  const { service, address, credentials, context, limits = defaultLimits } = settings
  const assertAllowed = readRules(settings.allow, settings.isReadOnly)
  const baseUrl = new URL(service.baseUrl)
  let opened: Promise<Dispatcher> | undefined
  // The innermost, so that it sees a request last; nothing outside of it follows a redirect.
  const open = (): Promise<Dispatcher> =>
    (opened ??= service
      .dispatcher()
      .then((dispatcher) => dispatcher.compose(authInterceptor(service.auth))))
  const forward = createForward(open, service.baseUrl)
  const { clock } = context
  const isPrivateSocket = 'socket' in address
  const admit = createAdmission({ ...credentials, isPrivateSocket }, clock)
  const log = createRequestLog(context.stdout, settings.log)
  const isPrivate = baseUrl.protocol === 'https:' || isLoopback(baseUrl)
  const { describe } = settings
  const parts = { isPrivateSocket, admit, assertAllowed, forward, isPrivate, log, describe, clock }
  const proxy = createProxyServer(createProxyExchange(parts), limits)
  const url = await listen(proxy.server, address, context.platform)
  return { url, ready: async () => void (await open()), close: (graceMs) => proxy.close(graceMs) }
}
