import { Agent } from 'node:http'
import type { Dispatcher } from 'undici'

/** Stands where a proxy or a guard against private addresses stands, and lets everything through. */
export interface Guard {
  /** The number of requests that it was asked for. */
  readonly asked: () => number
  /** For a dispatcher of undici, of either major. */
  readonly interceptor: Dispatcher.DispatcherComposeInterceptor
  /** For clients over `node:http`. */
  readonly agent: Agent
}

/** Returns a guard that counts. */
export function countingGuard(): Guard {
  let asked = 0
  class CountingAgent extends Agent {
    override createConnection(...parameters: Parameters<Agent['createConnection']>) {
      asked += 1
      return super.createConnection(...parameters)
    }
  }
  return {
    asked: () => asked,
    interceptor: (dispatch) => (options, handler) => {
      asked += 1
      return dispatch(options, handler)
    },
    // A connection for each request, so that connections count requests.
    agent: new CountingAgent({ keepAlive: false }),
  }
}
