import assert from 'node:assert/strict'
import { authCodeOf, chainOf, failureOf, statusOf } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'aborts, timeouts, errors'
const method = 'POST'
const neverMs = 600_000

/** Calls that do not end well. */
export const ends: readonly Scenario[] = [
  {
    topic,
    name: 'an abort ends the call and its request immediately',
    async run({ connect, serviceAuth, url, emulator, front, requests, until }) {
      emulator.fault({ path: '/V1/echo', latencyMs: neverMs })
      const { send } = connect(serviceAuth())
      const controller = new AbortController()
      const { signal } = controller
      const failure = failureOf(send({ method, url: url('/V1/echo'), body: 'x', signal }))
      await until(() => requests().length === 1)
      controller.abort()

      assert.match(namesOf(await failure), /abort|cancel/i)
      await until(() => front.passed[0]?.isAbandoned === true)
    },
  },
  {
    topic,
    name: 'an aborted call sends nothing',
    async run({ connect, serviceAuth, url, emulator }) {
      const { send } = connect(serviceAuth())
      const call = {
        method,
        url: url('/user/echo'),
        body: 'x',
        signal: AbortSignal.abort(),
      } as const
      assert.match(namesOf(await failureOf(send(call))), /abort|cancel/i)
      assert.equal(emulator.requests.length, 0)
    },
  },
  {
    topic,
    name: 'a caller that leaves a shared login does not affect the others',
    async run({ connect, serviceAuth, url, emulator, until }) {
      emulator.fault({ path: '/user/login', latencyMs: 50 })
      const { send } = connect(serviceAuth())
      const controller = new AbortController()
      const call = { method, url: url('/user/echo'), body: 'x' } as const
      const leaving = failureOf(send({ ...call, signal: controller.signal }))
      const staying = statusOf(send(call))
      await until(() => emulator.requests.length === 1)
      controller.abort()

      await leaving
      assert.equal(emulator.logins, 0)
      assert.equal(await staying, 200)
      assert.equal(emulator.logins, 1)
    },
  },
  {
    topic,
    name: 'a timeout ends the call and its request',
    async run({ connect, tokenAuth, url, emulator, front, until }) {
      const { send } = connect(tokenAuth())
      const call = { method, url: url('/user/echo'), body: 'x' } as const
      // So that neither a login nor a connection is charged to the timeout.
      await (await send(call)).text()
      emulator.fault({ path: '/user/echo', latencyMs: neverMs })
      assert.match(namesOf(await failureOf(send({ ...call, timeoutMs: 100 }))), /timeout|abort/i)
      await until(() => front.passed.slice(1).every(({ isAbandoned }) => isAbandoned))
    },
  },
  {
    topic,
    name: 'an error status is reported in the client’s own way',
    async run({ connect, serviceAuth, url }) {
      const { send } = connect(serviceAuth())
      assert.equal(await statusOf(send({ method, url: url('/user/nothing'), body: 'x' })), 404)
    },
  },
  {
    topic,
    name: 'a dropped connection is an error',
    async run({ connect, serviceAuth, url, emulator }) {
      emulator.fault({ path: '/V1/echo', drop: true })
      const { send } = connect(serviceAuth())
      await failureOf(send({ method, url: url('/V1/echo'), body: 'x' }))
    },
  },
  {
    topic,
    name: 'a refused login keeps its error code, however the client wraps it',
    async run({ connect, tokenAuth, url, requests }) {
      const { send } = connect(tokenAuth({ username: 'primary@example.com', password: 'wrong' }))
      const error = await failureOf(send({ method, url: url('/user/echo'), body: 'x' }))
      assert.equal(authCodeOf(error), 'ERR_AUTH_LOGIN_REFUSED')
      assert.equal(requests().length, 0)
    },
  },
  {
    topic,
    name: 'a URL that is not covered is refused with an error code',
    async run({ connect, serviceAuth, strays }) {
      const { send } = connect(serviceAuth())
      const error = await failureOf(send({ method, url: strays.url, body: 'x' }))
      assert.equal(authCodeOf(error), 'ERR_AUTH_ORIGIN')
      assert.equal(strays.arrived.length, 0)
    },
  },
]

/** Names, codes and messages of an error and of what led to it. */
function namesOf(error: Error): string {
  return chainOf(error)
    .map(({ name, code, message }) => `${String(name)} ${String(code)} ${String(message)}`)
    .join('\n')
}
