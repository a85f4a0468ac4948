// A Fastify server that calls the service: two routes and a page, with one session for all visitors.
import { AuthError } from '@svc/auth-token'
import fastify from 'fastify'
import { readGroups } from './lib/service.ts'
import { startService, visit } from './stand-ins/visitors.ts'

const app = fastify()

app.get('/api/groups', ({ signal }) => readGroups(signal))
app.get('/api/groups/count', async () => ({ count: (await readGroups()).length }))
app.get('/', async (_request, reply) =>
  reply.type('text/html').send(`<p>${(await readGroups()).length} groups</p>`),
)

// Neither the code nor the message contains a secret.
app.setErrorHandler((error, _request, reply) =>
  AuthError.is(error)
    ? reply.status(503).send({ code: error.code })
    : reply.status(502).send('the service is not available'),
)

const { emulator, close } = await startService()
const origin = await app.listen({ host: '127.0.0.1', port: 0 })
await visit(emulator, (path) => fetch(origin + path))
await app.close()
await close()
