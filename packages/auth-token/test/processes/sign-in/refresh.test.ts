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

test('a refresh that is answered with 429 costs no prompt: the call fails, and a later one goes on with the sign-in', async () => {
  const { server, auth, token, time, session, shown } = await signedIn()
  server.world.intercept = ({ url }, response) => {
    if (url !== '/token') return false
    response.writeHead(429).end()
    return true
  }
  const failed = { code: 'ERR_AUTH_LOGIN_REFUSED', status: 429 }
  expect(await time.run(failure(auth))).toMatchObject(failed)
  expect(await time.run(failure(session()))).toMatchObject(failed)
  server.world.intercept = undefined
  await time.advance(60_000)
  const next = await time.run(auth.getToken())
  expect(next).not.toBe(token)
  expect(await time.run(session().getToken())).toBe(next)
  expect(shown).toHaveLength(1)
  expect(server.revoked).toEqual([])
})
