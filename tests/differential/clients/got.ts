import { Agent } from 'node:http'
import { authGot } from '@svc/auth-hooks/got'
import got, { type Response } from 'got'
import got14 from 'got14'
import got15 from 'got15'
import type { Case } from '../case.ts'
import { type Answer, type Call, type Client, pairs } from './client.ts'

type Got = typeof got

/** The supported majors of got. */
export const gotClients: readonly Client[] = [
  gotClient('got 16', got),
  // Only the types of the three differ.
  gotClient('got 15', got15 as unknown as Got),
  gotClient('got 14', got14 as unknown as Got),
]

function gotClient(name: string, library: Got): Client {
  return {
    name,
    adapter: 'authGot',
    takes,
    open(auth) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const own = library.extend({
        retry: { limit: 0 },
        allowGetBody: true,
        agent: { http: agent },
      })
      const api = auth ? own.extend(authGot(auth.scheme, auth.options)) : own
      return {
        send: async (call) => answerOf(await api(call.url, optionsOf(call))),
        close: () => agent.destroy(),
      }
    },
  }
}

function takes({ mode, limit, body }: Case): boolean {
  return mode !== 'error' && limit === 'none' && body !== 'Blob'
}

function optionsOf({ method, headers, body, one }: Call) {
  return {
    method,
    headers: { ...headers },
    responseType: 'text' as const,
    followRedirect: one.mode === 'follow',
    ...(body instanceof URLSearchParams && { form: Object.fromEntries(body) }),
    ...(body !== undefined && !(body instanceof URLSearchParams) && { body: body as string }),
  }
}

function answerOf(response: Response): Answer {
  const { statusCode, statusMessage, rawHeaders, body, url, redirectUrls } = response
  return {
    status: statusCode,
    headers: pairs(rawHeaders),
    body: String(body),
    shown: { statusMessage, url, redirectUrls: redirectUrls.map(String) },
  }
}
