// An Express server that calls the service, with one client and one session for all its visitors.
import { once } from 'node:events'
import { AuthError, authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'
import express, { type ErrorRequestHandler } from 'express'

// The emulator stands in for the service: use your own base URL and user.
const emulator = createEmulator()
const service = await emulator.listen()

const auth = createTokenAuth({ baseUrl: service.url, credentials: defaultUsers[0] })
const serviceFetch = authFetch(auth)

const app = express()

app.get('/groups', async (_request, response) => {
  const groupsResponse = await serviceFetch(new URL('/user/groups', service.url))
  if (groupsResponse.ok) response.json(await groupsResponse.json())
  else response.status(502).send('the service is not available')
})

// Express 5 passes on the rejection of a handler. Neither the code nor the message contains a secret.
const onError: ErrorRequestHandler = (error, _request, response, next) => {
  if (!AuthError.is(error)) return next(error)
  response.status(503).json({ code: error.code })
}
app.use(onError)

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')

// Two visitors at once, and then one while nobody can log in.
const address = server.address()
const groups = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/groups`
const visits = await Promise.all([fetch(groups), fetch(groups)])
console.log(visits.map(({ status }) => status).join(' '), `${emulator.logins} login`)

emulator.fault({ path: '/user/login', status: 503 })
await auth.invalidate()
const failed = await fetch(groups)
console.log(failed.status, await failed.text())

server.close()
await service.close()
