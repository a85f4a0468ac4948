import { afterEach, describe, expect, test } from 'vitest'
import { createSessionAuth, forgetSessions } from '@svc/auth-token'
import { refreshToken } from '@svc/auth-token/oauth2'
import { sharedTokenStore, type TokenRecord } from '@svc/auth-token/sharing'
import { manualTime } from '../support/time.ts'
import { internalsKey, internalsOf } from '../testing.ts'

afterEach(forgetSessions)

/** What a version of this package wrote that had notes without an end, at the instant at which `manualTime` starts. */
const records = {
  /** The token `an-old-token`, which lasts for ten minutes. */
  token: {
    generation: 1,
    sealed:
      'zbp8nOF98aHzCeXiu5QVQYBebotCumBnI83Kf7OV_svvxd-jbmSZ7qFhm_BRgmr9ftNXjZANqEi1o3ouael3kPc4laQUXMhDptODElPTBArUNYS_t8x299hQ4ymjtwVyTnrC4PFVyGiIZ3CM-wrup6CSOTzGXwHPO_KWwvVpVjSipg',
  },
  /** The note of a process that was about to send `the first` refresh token. */
  note: {
    generation: 1,
    sealed:
      'CfYPDfau2hFy4vnCIUK_htELAz_xSbsh8svxbRB5McDloVRmPQ7KPjeVWcsnEG1pvrRHaeuD4yUyY88Ytm6ssM178i2Ksxy9SXsiCkh4_yxQy95HsJMJ_rh_4WPewnUNO7YU5sTtIhns4Yvd',
  },
  /** That token again, and the refresh token `the second`. */
  refreshed: {
    generation: 2,
    sealed:
      'vDnhMyqXpbk6c8JLe8I7yl6NYfpTJLOBPx1yHR3jGHt5NPFQfhfZXlOWTL5I-SJtzfxjtqfA6wm8f-PXX78GqqlJKaGvCRK1fkmjOE81MZT6C-PFWWDQPPcD1bodDLyY6HkBOCsT1Qp8yqywRcx3TAuP_msuarp1akYNG1w_gGnK_B9TkTj-NX8YiZ802jPEwKVoOzunj3KixoiHbWxq7PX0gPHrrYwIWlDH4Co',
  },
} satisfies Readonly<Record<string, TokenRecord>>

/** A store in which that version has left a record, and a server that takes refresh tokens. */
function world(record: TokenRecord) {
  const time = manualTime()
  let current = record
  const store = sharedTokenStore({
    get: async () => current,
    async compareAndSwap(_key, next) {
      if (next.generation !== current.generation + 1) return false
      current = next
      return true
    },
    lock: async () => 1,
    unlock: async () => {},
  })
  const { sealRounds } = internalsOf(undefined)
  const internals = { [internalsKey]: { sealRounds, timers: time.timers } }
  const clock = Object.assign(() => time.now, internals)
  const issuer = 'https://login.example.com'
  const sent: unknown[] = []
  const grant = refreshToken({ issuer, clientId: 'app', refreshToken: 'the first' })
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input)
    if (url.endsWith('/openid-configuration')) {
      return Response.json({ issuer, token_endpoint: `${issuer}/token` })
    }
    const body = init?.body
    sent.push(body instanceof URLSearchParams ? body.get('refresh_token') : body)
    const token = { access_token: 'a-new-token', token_type: 'Bearer', expires_in: 600 }
    return Response.json({ ...token, refresh_token: 'the third' })
  }
  const shared = { baseUrl: 'https://api.example.com', store, clock }
  return { time, shared, rotating: { ...shared, ...grant, fetch }, sent }
}

describe('a record of an older version', () => {
  test('has a token that is still good', async () => {
    const { shared } = world(records.token)
    const auth = createSessionAuth({
      ...shared,
      credentials: { user: 'reader', password: 'a password' },
      login: () => Promise.reject(new Error('there is nothing to log in for')),
    })
    expect(await auth.getToken()).toBe('an-old-token')
  })

  test('has the refresh token that is next', async () => {
    const { rotating, sent, time } = world(records.refreshed)
    const auth = createSessionAuth(rotating)
    expect(await auth.getToken()).toBe('an-old-token')
    time.now += 600_000
    expect(await time.run(auth.getToken())).toBe('a-new-token')
    expect(sent).toEqual(['the second'])
  })

  test('has the note of a process that may still be at work, and is lost after that', async () => {
    const { rotating, sent, time } = world(records.note)
    const lost = { code: 'ERR_AUTH_REFRESH_LOST' }
    await expect(time.run(createSessionAuth(rotating).getToken())).rejects.toMatchObject(lost)
    expect(sent).toEqual([])
  })
})
