import assert from 'node:assert/strict'
import { assertFresh, assertLetIn, authCodeOf, bodyOf, failureOf } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'redirects'
const method = 'POST'
// A dispatcher of undici is not told that a request is a redirect.
const isRefused = /^ERR_AUTH_(?:REDIRECT|ORIGIN)$/

/** Redirects within the origin, and away from it. */
export const redirects: readonly Scenario[] = [
  {
    topic,
    name: 'within the origin: signed again, body included',
    async run({ connect, serviceAuth, url, front, requests }) {
      front.instead({ path: '/V1/from', status: 307, headers: { location: '/V1/echo?b=1&a=2' } })
      const { send } = connect(serviceAuth())
      const response = await send({ method, url: url('/V1/from'), body: 'the body' })

      assert.match(await response.text(), /the body/)
      assertLetIn(requests(), 'sigv4', 'sigv4')
      assertFresh(requests())
      assert.equal(bodyOf(requests()[1]), bodyOf(requests()[0]))
    },
  },
  {
    topic,
    name: 'within the origin, with `rebuildRequests`: signed again, body included',
    async run({ connect, serviceAuth, url, front, requests }) {
      front.instead({ path: '/V1/from', status: 307, headers: { location: '/V1/echo?b=1&a=2' } })
      const { send } = connect(serviceAuth(), { rebuildRequests: true })
      const response = await send({ method, url: url('/V1/from'), body: 'the body' })

      assert.match(await response.text(), /the body/)
      assertLetIn(requests(), 'sigv4', 'sigv4')
    },
  },
  {
    topic,
    name: 'from a token path to a signed path: the selector chooses again',
    async run({ connect, serviceAuth, url, front, requests }) {
      front.instead({ path: '/user/from', status: 308, headers: { location: '/V1/echo' } })
      const { send } = connect(serviceAuth())
      const response = await send({ method, url: url('/user/from'), body: 'the body' })

      assert.match(await response.text(), /the body/)
      assertLetIn(requests(), 'token', 'sigv4')
      assert.equal(requests()[1]?.headers['x-svc-security-token'], undefined)
    },
  },
  {
    topic,
    name: 'a 302 turns a POST into a GET, signed as a GET',
    async run({ connect, serviceAuth, url, front, requests }) {
      front.instead({ path: '/V1/from', status: 302, headers: { location: '/V1/echo' } })
      const { send } = connect(serviceAuth())
      const response = await send({ method, url: url('/V1/from'), body: 'the body' })

      assert.equal(response.status, 200)
      assertLetIn(requests(), 'sigv4', 'sigv4')
      assert.equal(requests()[1]?.method, 'GET')
      assert.equal(bodyOf(requests()[1]), '')
    },
  },
  {
    topic,
    name: 'to another origin: refused with an error code, nothing is sent there',
    async run({ connect, serviceAuth, url, front, strays }) {
      const { send } = connect(serviceAuth())
      for (const path of ['/V1/from', '/user/from']) {
        front.instead({ path, status: 307, headers: { location: strays.url.href } })
        const error = await failureOf(send({ method, url: url(path), body: 'the body' }))
        assert.match(authCodeOf(error), isRefused)
      }
      assert.equal(strays.arrived.length, 0)
    },
  },
  {
    topic,
    name: 'to another origin, if allowed: without any credential',
    async run({ connect, serviceAuth, url, front, strays }) {
      const options = { redirect: 'follow', sensitiveHeaders: ['x-own-secret'] } as const
      const { send } = connect(serviceAuth(), options)
      const headers = {
        'x-own': 'own',
        'x-own-secret': 'secret',
        'x-amz-meta-own': 'secret',
        'x-svc-own': 'secret',
        cookie: 'a=b',
      }
      for (const path of ['/V1/from', '/user/from']) {
        front.instead({ path, status: 302, headers: { location: strays.url.href } })
        const response = await send({ method: 'GET', url: url(path), headers })
        assert.match(await response.text(), /from elsewhere/)
      }
      assert.equal(strays.arrived.length, 2)
      for (const stray of strays.arrived) {
        assert.equal(stray.headers['x-own'], 'own')
        assert.equal(stray.headers['x-own-secret'], undefined)
      }
    },
  },
  {
    topic,
    name: 'to another origin with a body, even if allowed: refused with an error code',
    async run({ connect, serviceAuth, url, front, strays }) {
      front.instead({ path: '/user/from', status: 307, headers: { location: strays.url.href } })
      const { send } = connect(serviceAuth(), { redirect: 'follow' })
      const error = await failureOf(send({ method, url: url('/user/from'), body: 'the body' }))
      assert.match(authCodeOf(error), isRefused)
      assert.equal(strays.arrived.length, 0)
    },
  },
  {
    topic,
    name: 'from https to http: refused with an error code',
    over: 'https',
    async run({ connect, serviceAuth, url, front, strays }) {
      front.instead({ path: '/V1/from', status: 302, headers: { location: strays.url.href } })
      const { send } = connect(serviceAuth(), { redirect: 'follow' })
      const error = await failureOf(send({ method: 'GET', url: url('/V1/from') }))
      assert.match(authCodeOf(error), isRefused)
      assert.equal(strays.arrived.length, 0)
    },
  },
  {
    topic,
    name: 'of the login: its body is sent nowhere else',
    async run({ connect, tokenAuth, url, emulator, strays }) {
      emulator.fault({ path: '/user/login', redirect: { to: strays.url } })
      const { send } = connect(tokenAuth(), { redirect: 'follow' })
      const error = await failureOf(send({ method, url: url('/user/echo'), body: 'x' }))
      assert.equal(authCodeOf(error), 'ERR_AUTH_LOGIN_REDIRECT')
      assert.equal(strays.arrived.length, 0)
    },
  },
]
