import assert from 'node:assert/strict'
import { assertFresh, assertLetIn, bodyOf, statusOf } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'authentication'
const method = 'POST'

/** Tokens, signatures, the choice between them, and what happens where one is refused. */
export const authentication: readonly Scenario[] = [
  {
    topic,
    name: 'a token is sent',
    async run({ connect, tokenAuth, url, requests, emulator }) {
      const { send } = connect(tokenAuth())
      const response = await send({ method, url: url('/user/echo'), body: 'the body' })

      assert.equal(response.status, 200)
      assert.match(await response.text(), /the body/)
      assertLetIn(requests(), 'token')
      assert.equal(emulator.logins, 1)
    },
  },
  {
    topic,
    name: 'a signature is sent',
    async run({ connect, sigV4Auth, url, requests }) {
      const { send } = connect(sigV4Auth())
      const response = await send({ method, url: url('/V1/echo?b=2&a=%2B&a=1'), body: 'the body' })

      assert.equal(response.status, 200)
      assert.match(await response.text(), /the body/)
      assertLetIn(requests(), 'sigv4')
    },
  },
  {
    topic,
    name: 'the selector chooses by the path',
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      for (const path of ['/V1/echo', '/User/echo', '/users/echo']) {
        assert.equal((await send({ method, url: url(path), body: path })).status, 200)
      }
      assertLetIn(requests(), 'sigv4', 'token', 'sigv4')
      assert.equal(requests()[0]?.headers['x-svc-security-token'], undefined)
      assert.equal(requests()[1]?.headers['authorization'], undefined)
    },
  },
  {
    topic,
    name: 'PUT, HEAD, GET and DELETE, at exactly the URL that was signed',
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      const object = url("/V1/a b+c/(1)*'~é.csv?x=1+2&x=0")
      const headers = { 'content-type': 'text/csv' }
      await (await send({ method: 'PUT', url: object, body: 'a;b', headers })).text()
      await (await send({ method: 'HEAD', url: object })).text()
      const got = await send({ method: 'GET', url: object })
      assert.equal(await got.text(), 'a;b')
      await (await send({ method: 'DELETE', url: object })).text()

      assertLetIn(requests(), 'sigv4', 'sigv4', 'sigv4', 'sigv4')
      assert.deepEqual(
        requests().map(({ status }) => status),
        [200, 200, 200, 204],
      )
      const target = '/V1/a%20b%2Bc/%281%29%2A%27~%C3%A9.csv?x=1%202&x=0'
      assert.deepEqual([...new Set(requests().map((request) => request.target))], [target])
    },
  },
  {
    topic,
    name: 'ten concurrent calls share one login',
    async run({ connect, serviceAuth, url, emulator }) {
      const { send } = connect(serviceAuth())
      const calls = Array.from({ length: 10 }, () =>
        send({ method, url: url('/user/echo'), body: 'x' }),
      )
      assert.deepEqual(await Promise.all(calls.map(statusOf)), Array(10).fill(200))
      assert.equal(emulator.logins, 1)
    },
  },
  {
    topic,
    name: 'a refused token: one more login, and the body is sent again',
    async run({ connect, serviceAuth, url, emulator, requests }) {
      const { send } = connect(serviceAuth())
      await (await send({ method, url: url('/user/echo'), body: 'first' })).text()
      emulator.revokeTokens()
      const response = await send({ method, url: url('/user/echo'), body: 'second' })

      assert.equal(response.status, 200)
      assert.match(await response.text(), /second/)
      assertLetIn(requests(), 'token', 'token: RevokedToken', 'token')
      assert.match(bodyOf(requests()[2]), /second/)
      assert.equal(bodyOf(requests()[2]), bodyOf(requests()[1]))
      assert.equal(emulator.logins, 2)
    },
  },
  {
    topic,
    name: 'ten calls with a refused token: one more login',
    async run({ connect, serviceAuth, url, emulator }) {
      const { send } = connect(serviceAuth())
      const call = { method, url: url('/user/echo'), body: 'x' } as const
      await (await send(call)).text()
      emulator.revokeTokens()
      const calls = Array.from({ length: 10 }, () => send(call))
      assert.deepEqual(await Promise.all(calls.map(statusOf)), Array(10).fill(200))
      assert.equal(emulator.logins, 2)
    },
  },
  {
    topic,
    name: 'a persistent 401 reaches the caller, after one more login',
    async run({ connect, serviceAuth, url, emulator, requests }) {
      emulator.fault({ path: '/user/echo', status: 401, body: '{"Code":"Refused"}' })
      const { send } = connect(serviceAuth())
      assert.equal(await statusOf(send({ method, url: url('/user/echo'), body: 'x' })), 401)
      assert.equal(requests().length, 2)
      assert.equal(emulator.logins, 2)
    },
  },
  {
    topic,
    name: 'a wrong clock: signed again, with the time of the service',
    async run({ connect, serviceAuth, url, emulator, requests }) {
      emulator.fault({ skewMs: 3_600_000 })
      const { send } = connect(serviceAuth())
      assert.equal(await statusOf(send({ method, url: url('/V1/echo'), body: 'the body' })), 200)
      assertLetIn(requests(), 'sigv4: RequestTimeTooSkewed', 'sigv4')
      assert.equal(bodyOf(requests()[1]), bodyOf(requests()[0]))
    },
  },
  {
    topic: 'the client’s own features',
    name: 'each of its retries gets a fresh signature',
    async run({ connect, serviceAuth, url, front, requests }) {
      front.instead({ path: '/V1/echo', status: 503, times: 2 })
      const { send } = connect(serviceAuth())
      const response = await send({ method, url: url('/V1/echo'), body: 'the body', retries: 2 })

      assert.equal(response.status, 200)
      assertLetIn(requests(), 'sigv4', 'sigv4', 'sigv4')
      assertFresh(requests())
      assert.equal(new Set(requests().map(bodyOf)).size, 1)
    },
  },
  {
    topic: 'the client’s own features',
    name: 'its hooks and interceptors may change signed headers',
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      const response = await send({
        method,
        url: url('/V1/echo'),
        body: 'the body',
        headers: { 'x-amz-meta-trace': 'of the caller' },
        hook: () => ({ 'x-amz-meta-trace': 'of the hook', 'x-own': 'own' }),
      })
      assert.equal(response.status, 200)
      assertLetIn(requests(), 'sigv4')
      assert.equal(requests()[0]?.headers['x-amz-meta-trace'], 'of the hook')
      assert.equal(requests()[0]?.headers['x-own'], 'own')
      assert(requests()[0]?.auth.signedHeaders?.includes('x-amz-meta-trace'))
    },
  },
]
