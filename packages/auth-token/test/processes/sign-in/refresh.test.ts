import { expect, test } from 'vitest'
import { startProvider } from '../../sign-in/support/provider.ts'
import { failure, userOf } from '../../sign-in/support/sessions.ts'

/** A user who has signed in, whose token has run out. */
async function signedIn() {
  const server = await startProvider()
  const user = userOf(server.issuer)
  const auth = user.session()
  const token = await user.time.run(auth.getToken())
  await user.expire()
  return { server, auth, token, ...user }
}

type Respond = NonNullable<Awaited<ReturnType<typeof startProvider>>['world']['intercept']>

/** What a server does with a request that it has not looked at. */
const failures: Readonly<Record<string, Respond>> = {
  'is answered with 503': (_, response) => {
    response.writeHead(503, { 'retry-after': '20' }).end()
    return true
  },
  'is answered with 429': (_, response) => {
    response.writeHead(429).end()
    return true
  },
  'breaks off': ({ socket }) => {
    socket.destroy()
    return true
  },
  'is not answered in time': () => true,
}

test.for(Object.entries(failures))(
  'a refresh that %s costs no prompt: the call fails, and a later one goes on with the sign-in',
  async ([, respond]) => {
    const { server, auth, token, time, session, shown } = await signedIn()
    server.world.intercept = (request, response) =>
      request.url === '/token' && respond(request, response)
    const codes = /^ERR_AUTH_LOGIN_(?:REFUSED|NETWORK|TIMEOUT)$/
    const failed = { code: expect.stringMatching(codes) }
    expect(await time.run(failure(auth))).toMatchObject(failed)
    expect(await time.run(failure(session()))).toMatchObject(failed)
    server.world.intercept = undefined
    await time.advance(60_000)
    const next = await time.run(auth.getToken())
    expect(next).not.toBe(token)
    expect(await time.run(session().getToken())).toBe(next)
    expect(shown).toHaveLength(1)
    expect(server.revoked).toEqual([])
  },
)

test('a refresh whose response is lost is made again, and the user is asked once the server refuses that', async () => {
  const { server, auth, token, time, session, shown, expire } = await signedIn()
  // The server has exchanged the refresh token.
  server.world.cutOff = true
  expect(await time.run(failure(auth))).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
  expect(shown).toHaveLength(1)
  await time.advance(60_000)
  const next = await time.run(auth.getToken())
  expect(next).not.toBe(token)
  expect(await time.run(session().getToken())).toBe(next)
  expect(shown).toHaveLength(2)
  // The one that nobody has: it came to no one.
  expect(server.revoked).toHaveLength(1)
  await expire()
  expect(await time.run(auth.getToken())).not.toBe(next)
  expect(shown).toHaveLength(2)
})

test('a refresh of a process that was stopped is made by another one, once its time is up', async () => {
  const { server, token, time, session, shown, shared } = await signedIn()
  const stopped = userOf(server.issuer)
  stopped.time.now = time.now
  let isSent = false
  server.world.intercept = ({ url }) => {
    isSent ||= url === '/token'
    return isSent
  }
  void failure(stopped.session({ store: shared }))
  // Its own time stands still from now on.
  await stopped.until(() => isSent, 0)
  server.world.intercept = undefined
  const startedAt = time.now
  expect(await time.run(session().getToken())).not.toBe(token)
  expect(time.now - startedAt).toBeGreaterThan(15_000)
  expect(shown).toHaveLength(1)
  expect(server.revoked).toEqual([])
})
