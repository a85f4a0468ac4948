import assert from 'node:assert/strict'
import { leakOf } from '../leaks.ts'
import type { Scenario, Stage } from '../scenario.ts'

const topic = 'no credential appears in'
const method = 'POST'
const neverMs = 600_000

/** Values that a program might log: by `util.inspect`, as JSON, or property by property. */
export const leaks: readonly Scenario[] = [
  {
    topic,
    name: 'the client and its response',
    async run({ connect, serviceAuth, url, secrets }) {
      const connection = connect(serviceAuth())
      for (const path of ['/user/echo', '/V1/echo']) {
        const { shown } = await connection.send({ method, url: url(path), body: 'x' })
        assert.equal(leakOf([shown, connection.shown], secrets()), undefined)
      }
    },
  },
  inFailure('an error for a status', ({ front }, path) => {
    front.instead({ path, status: 400, body: '{"Code":"NotGood"}' })
    return {}
  }),
  inFailure('an error after retries', ({ front }, path) => {
    front.instead({ path, status: 503 })
    return { retries: 1 }
  }),
  inFailure('an error for a timeout', ({ emulator }, path) => {
    emulator.fault({ path, latencyMs: neverMs })
    return { timeoutMs: 100 }
  }),
  inFailure('an error for an abort', ({ emulator, until }, path) => {
    emulator.fault({ path, latencyMs: neverMs })
    const controller = new AbortController()
    void until(() => emulator.requests.some((request) => request.path === path)).then(() =>
      controller.abort(),
    )
    return { signal: controller.signal }
  }),
  inFailure('an error for a dropped connection', ({ emulator }, path) => {
    emulator.fault({ path, drop: true })
    return {}
  }),
  inFailure('an error for a redirect to another origin', ({ front, strays }, path) => {
    front.instead({ path, status: 307, headers: { location: strays.url.href } })
    return {}
  }),
]

/** A scenario in which calls to both kinds of path fail, and the errors are looked at. */
function inFailure(
  name: string,
  arrange: (
    stage: Stage,
    path: string,
  ) => { retries?: number; timeoutMs?: number; signal?: AbortSignal },
): Scenario {
  return {
    topic,
    name,
    async run(stage) {
      const connection = stage.connect(stage.serviceAuth())
      // So that neither a login nor a connection is charged to a timeout.
      await (await connection.send({ method, url: stage.url('/User/Echo'), body: 'x' })).text()
      const calls = ['/user/echo', '/V1/echo'].map((path) =>
        connection.send({ method, url: stage.url(path), body: 'x', ...arrange(stage, path) }).then(
          // openapi-fetch and `fetch` give a response, where others throw.
          ({ status, shown }) => {
            assert.notEqual(status, 200)
            return shown
          },
          (error: unknown) => error,
        ),
      )
      const seen = await Promise.all(calls)
      assert.equal(leakOf([seen, connection.shown], stage.secrets()), undefined)
    },
  }
}
