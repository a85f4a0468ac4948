// An Express server that calls the service: two routes and a page, with one session for all visitors.
import { once } from 'node:events'
import { AuthError } from '@svc/auth-token'
import express, { type ErrorRequestHandler } from 'express'
import { readGroups } from './lib/service.ts'
import { startService, visit } from './stand-ins/visitors.ts'

const app = express()

app.get('/api/groups', async (_request, response) => {
  response.json(await readGroups())
})
app.get('/api/groups/count', async (_request, response) => {
  response.json({ count: (await readGroups()).length })
})
app.get('/', async (_request, response) => {
  response.send(`<p>${(await readGroups()).length} groups</p>`)
})

// Express 5 passes on the rejection of a handler. Neither the code nor the message contains a secret.
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (AuthError.is(error)) response.status(503).json({ code: error.code })
  else response.status(502).send('the service is not available')
}
app.use(onError)

const { emulator, close } = await startService()
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
await visit(emulator, (path) => fetch(origin + path))
server.close()
await close()
