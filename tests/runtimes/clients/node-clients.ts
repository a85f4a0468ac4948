import process from 'node:process'
import { authGot } from '@svc/auth-hooks/got'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type * as Undici from 'undici'
import type { RuntimeClient } from './client.ts'
import { kyClient, webClients } from './web-clients.ts'

// npm installs the newest major that runs there.
const isNode20 = process.versions.node.startsWith('20.')

/** The part of got that is alike in its majors. */
type Got = (
  url: URL,
  options: { method: 'GET' | 'PUT'; body?: string },
) => { readonly text: () => Promise<string> }

/** The clients of a runtime that has the modules of Node. */
export const nodeClients: readonly RuntimeClient[] = [
  ...webClients,
  kyClient(() => (isNode20 ? import('ky1') : import('ky'))),
  {
    name: 'got',
    async connect(auth) {
      const api: Got = isNode20
        ? (await import('got14')).default.extend(authGot(auth))
        : (await import('got')).default.extend(authGot(auth))
      return (url, method, body) => api(url, { method, ...(body !== undefined && { body }) }).text()
    },
  },
  {
    name: 'undici',
    async connect(auth) {
      const { Agent, request } = isNode20
        ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the types of the two differ
          ((await import('undici7')) as unknown as typeof Undici)
        : await import('undici')
      const dispatcher = new Agent().compose(authInterceptor(auth))
      return async (url, method, body) => {
        const response = await request(url, { method, body: body ?? null, dispatcher })
        if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
        return response.body.text()
      }
    },
  },
]
