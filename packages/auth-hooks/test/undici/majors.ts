import { authInterceptor, type AuthInterceptorOptions } from '@svc/auth-hooks/undici'
import type { AuthScheme } from '@svc/types'
import * as undici from 'undici'
import * as undici7 from 'undici7'
import { onTestFinished } from 'vitest'

export type Undici = typeof undici
type Interceptor = undici.Dispatcher.DispatcherComposeInterceptor

/** The supported majors. What the tests use of them has the same types but for deprecated names. */
export const majors: (readonly [name: string, undici: Undici])[] = [
  ['undici 7', undici7 as unknown as Undici],
  ['undici 8', undici],
]

/** An agent with the interceptor innermost, closed when the test ends. */
export function agentOf(
  { Agent }: Undici,
  scheme: AuthScheme,
  options: {
    agent?: undici.Agent.Options
    auth?: AuthInterceptorOptions
    inside?: Interceptor[]
    outside?: Interceptor[]
  } = {},
): undici.Dispatcher {
  const agent = new Agent(options.agent)
  onTestFinished(() => agent.destroy())
  const { inside = [], outside = [] } = options
  return agent.compose([...inside, authInterceptor(scheme, options.auth), ...outside])
}

/** The `fetch` of this Node, with a dispatcher of a package. */
export function builtInFetch(
  url: string,
  init: RequestInit & { dispatcher: undici.Dispatcher },
): Promise<Response> {
  // Node takes the dispatcher of any version, which the types of the web platform do not know.
  return fetch(url, init)
}

/**
 * For the `fetch` of a Node up to 24: interceptors of undici 8 lose its handlers, which are of an older
 * kind, and undici has a wrapper for that.
 */
export function forBuiltInFetch(
  { Dispatcher1Wrapper }: Partial<Undici>,
  dispatcher: undici.Dispatcher,
): undici.Dispatcher {
  return Dispatcher1Wrapper ? new Dispatcher1Wrapper(dispatcher) : dispatcher
}

/** Something that happens once, and can be waited for. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
