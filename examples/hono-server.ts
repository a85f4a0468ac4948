// A Hono server that calls the service: two routes and a page, with one session for all visitors.
import { once } from 'node:events'
import { serve } from '@hono/node-server'
import { AuthError } from '@svc/auth-token'
import { Hono } from 'hono'
import { readGroups } from './lib/service.ts'
import { startService, visit } from './stand-ins/visitors.ts'

const app = new Hono()

app.get('/api/groups', async (c) => c.json(await readGroups(c.req.raw.signal)))
app.get('/api/groups/count', async (c) => c.json({ count: (await readGroups()).length }))
app.get('/', async (c) => c.html(`<p>${(await readGroups()).length} groups</p>`))

// Neither the code nor the message contains a secret.
app.onError((error, c) =>
  AuthError.is(error)
    ? c.json({ code: error.code }, 503)
    : c.text('the service is not available', 502),
)

const { emulator, close } = await startService()
// On Bun, Deno and workers, `export default app` is all; `serve` is for Node.
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
await once(server, 'listening')
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
await visit(emulator, (path) => fetch(origin + path))
server.close()
await close()
