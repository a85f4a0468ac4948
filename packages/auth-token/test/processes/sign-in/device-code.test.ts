import { AuthError } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { type Reply, scriptedServer, token } from '../../sign-in/support/scripted-server.ts'
import { failure, userOf, withCode } from '../../sign-in/support/sessions.ts'

const failed = withCode('ERR_AUTH_SIGN_IN_FAILED')
const tooLate = withCode('ERR_AUTH_SIGN_IN_TIMEOUT')

async function setUp(replies: Parameters<typeof scriptedServer>[0] = {}) {
  const server = await scriptedServer(replies)
  const user = userOf(server.issuer)
  user.user.act = () => {}
  return { server, ...user }
}

/** Returns what a token endpoint says, one after the other, and the time of each. */
function inTurn(time: () => number, ...codes: readonly (string | number | undefined)[]) {
  const times: number[] = []
  const reply = ({ response }: { response: { destroy(): void } }) => {
    const code = codes[times.length]
    times.push(time())
    if (code === 'cut') {
      response.destroy()
      return undefined
    }
    if (typeof code === 'number') return [code, {}] as const
    return code === undefined ? token() : ([400, { error: code }] as const)
  }
  return { reply, waits: () => times.slice(1).map((at, index) => at - (times[index] ?? 0)), times }
}

describe('the server is asked for the token', () => {
  test('each 5 seconds while the user is at it, and each time 5 more where that is too often', async () => {
    const { server, session, time } = await setUp()
    const turns = inTurn(
      () => time.now,
      'authorization_pending',
      'authorization_pending',
      'slow_down',
      'authorization_pending',
      'slow_down',
    )
    server.replies['/token'] = turns.reply
    const startedAt = time.now
    expect(await time.run(session().getToken())).toBe('a-token')
    expect(Math.round(((turns.times[0] ?? 0) - startedAt) / 1000)).toBe(5)
    expect(turns.waits().map((ms) => Math.round(ms / 1000))).toEqual([5, 5, 10, 10, 15])
    const [first] = server.to('/token')
    expect(Object.fromEntries(first?.form ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'the secret device code',
      client_id: 'app',
    })
  })

  test('as often as it says', async () => {
    const { server, session, time } = await setUp()
    server.replies['/device'] = { ...server.code, interval: 2 }
    const turns = inTurn(() => time.now, 'authorization_pending', 'authorization_pending')
    server.replies['/token'] = turns.reply
    await time.run(session().getToken())
    expect(turns.waits().map((ms) => Math.round(ms / 1000))).toEqual([2, 2])
  })

  test.for([1e12, 1e-9, -1, 'soon', null])(
    'never more than once a second, whatever it says: %s',
    async (interval) => {
      const { server, session, time } = await setUp()
      server.replies['/device'] = { ...server.code, interval }
      server.replies['/token'] = [400, { error: 'authorization_pending' }]
      await time.run(failure(session({ timeoutMs: 20_000 })))
      expect(server.to('/token').length).toBeLessThan(20)
    },
  )

  test('less and less often while it does not respond, or cannot', async () => {
    const { server, session, time } = await setUp()
    const turns = inTurn(() => time.now, 'cut', 503, 'cut', 429, 'authorization_pending')
    server.replies['/token'] = turns.reply
    await time.run(session().getToken())
    expect(turns.waits().map((ms) => Math.round(ms / 1000))).toEqual([10, 20, 40, 60, 60])
  })

  test('again where it leaves a request without a response', async () => {
    const { server, session, time } = await setUp()
    let turn = 0
    server.replies['/token'] = () => ((turn += 1) === 1 ? undefined : token())
    expect(await time.run(session({ loginTimeoutMs: 3000 }).getToken())).toBe('a-token')
    expect(turn).toBe(2)
  })

  test('no more once the code has run out, whatever it says', async () => {
    const { server, session, time } = await setUp()
    server.replies['/device'] = { ...server.code, expires_in: 20 }
    server.replies['/token'] = [400, { error: 'authorization_pending' }]
    const startedAt = time.now
    expect(await time.run(failure(session()))).toEqual(tooLate)
    expect(time.now - startedAt).toBeLessThan(21_000)
    expect(server.to('/token')).toHaveLength(3)
    await time.advance(60_000)
    expect(server.to('/token')).toHaveLength(3)
  })

  test('also by one that refuses with status 200', async () => {
    const { server, session, time } = await setUp()
    let turn = 0
    server.replies['/token'] = () =>
      (turn += 1) === 1 ? { error: 'authorization_pending' } : token()
    expect(await time.run(session().getToken())).toBe('a-token')
  })

  test('at the endpoints that are given, of one without metadata', async () => {
    const { server, session, time } = await setUp({
      '/.well-known/openid-configuration': [404, {}],
    })
    const { token_endpoint: tokenEndpoint, device_authorization_endpoint: deviceEndpoint } =
      server.metadata
    const auth = session({ tokenEndpoint, deviceAuthorizationEndpoint: deviceEndpoint })
    expect(await time.run(auth.getToken())).toBe('a-token')
    server.replies['/token'] = token('the-next')
    await time.advance(600_000)
    expect(await time.run(auth.getToken())).toBe('the-next')
    expect(server.to('/.well-known/openid-configuration')).toEqual([])
  })
})

describe('a sign-in ends', () => {
  test.for([
    ['access_denied', 'ERR_AUTH_SIGN_IN_DENIED', 'was denied'],
    ['expired_token', 'ERR_AUTH_SIGN_IN_TIMEOUT', 'call again'],
    ['invalid_grant', 'ERR_AUTH_SIGN_IN_FAILED', 'call again'],
    ['unauthorized_client', 'ERR_AUTH_SIGN_IN_FAILED', 'allow this client'],
    ['invalid_client', 'ERR_AUTH_SIGN_IN_FAILED', 'check clientId'],
    ['<script>', 'ERR_AUTH_SIGN_IN_FAILED', 'an unknown error'],
  ] as const)('with %s', async ([error, code, remedy]) => {
    const { server, session, time } = await setUp()
    server.replies['/token'] = [400, { error, error_description: 'the secret device code' }]
    const thrown = await time.run(failure(session()))
    expect(thrown).toEqual(withCode(code))
    expect(String(thrown)).toContain(remedy)
    expect(JSON.stringify([String(thrown), thrown])).not.toMatch(/secret|script/)
    expect(server.to('/token')).toHaveLength(1)
  })

  test.for([
    ['a client that may not', [400, { error: 'unauthorized_client' }]],
    ['no code', { user_code: 'A', verification_uri: 'https://a.example', expires_in: 5 }],
    ['a code that would change a terminal', { user_code: '\u{1b}[2J' }],
    ['an address that is none of a page', { verification_uri: 'javascript:alert(1)' }],
    ['an address that anybody may change', { verification_uri: 'http://a.example/enter' }],
  ] satisfies [string, Reply][])('before anything is shown with %s', async ([, reply]) => {
    const { server, session, time, shown } = await setUp()
    const isWhole = Array.isArray(reply) || 'expires_in' in reply
    server.replies['/device'] = isWhole ? (reply as Reply) : { ...server.code, ...reply }
    const thrown = await time.run(failure(session()))
    expect(AuthError.is(thrown) && thrown.code).toMatch(/^ERR_AUTH_(?:SIGN_IN|LOGIN)_FAILED$/)
    expect(shown).toEqual([])
  })

  test('where the server does not offer it', async () => {
    const { server, session, time } = await setUp()
    const { device_authorization_endpoint: _none, ...metadata } = server.metadata
    server.replies['/.well-known/openid-configuration'] = metadata
    const thrown = await time.run(failure(session()))
    expect(thrown).toEqual(failed)
    expect(String(thrown)).toContain('use loopback()')
  })

  test('where it cannot be shown, and the next process shows its own', async () => {
    const { session, time, user, shown } = await setUp()
    user.act = () => {
      throw new Error('no terminal')
    }
    const thrown = await time.run(failure(session()))
    expect(thrown).toEqual(failed)
    expect(String(thrown)).toContain('show failed')
    user.act = () => {}
    expect(await time.run(session().getToken())).toBe('a-token')
    expect(shown).toHaveLength(2)
  })
})

test('an address with the code in it is passed on if it is that of a page', async () => {
  const { server, session, time, shown } = await setUp()
  const complete = `${server.issuer}/enter?user_code=ABCD-EFGH`
  server.replies['/device'] = { ...server.code, verification_uri_complete: complete }
  await time.run(session().getToken())
  server.replies['/device'] = { ...server.code, verification_uri_complete: 'file:///etc/passwd' }
  await time.run(session({ account: 'other' }).getToken())
  expect(shown.map((prompt) => prompt.verificationUriComplete)).toEqual([complete, undefined])
  expect(shown[0]).toMatchObject({
    userCode: 'ABCD-EFGH',
    verificationUri: `${server.issuer}/enter`,
  })
})
