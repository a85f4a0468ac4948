import { createRequire } from 'node:module'
import type { Agent, Dispatcher } from 'undici'
import type { CommandContext } from '../context.ts'

/** What one request takes of undici. */
export interface UndiciParts {
  readonly Agent: typeof Agent
  /** The method `request`, which only the whole of undici gives to each dispatcher. */
  readonly request: (
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ) => Promise<Dispatcher.ResponseData>
}

/**
 * Loads these parts alone: the whole of undici, with its `fetch`, caches and stand-ins, takes longer to load than the
 * rest of a command takes. A version that keeps its parts elsewhere is loaded as a whole.
 */
export function loadUndiciParts(): UndiciParts {
  const load = createRequire(import.meta.url)
  try {
    const lib = 'undici/lib'
    return { Agent: load(`${lib}/dispatcher/agent.js`), request: load(`${lib}/api/api-request.js`) }
  } catch {
    const whole = load('undici') as Pick<UndiciParts, 'Agent'>
    return {
      Agent: whole.Agent,
      request(options) {
        return this.request(options)
      },
    }
  }
}

/** Returns the proxies that the environment of a command names, which may be another than that of the process. */
export function namedProxies({
  env,
}: CommandContext): Record<'httpProxy' | 'httpsProxy' | 'noProxy', string> {
  const variable = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? ''
  const [httpProxy, httpsProxy] = [variable('HTTP_PROXY'), variable('HTTPS_PROXY')]
  return { httpProxy, httpsProxy, noProxy: variable('NO_PROXY') }
}
