import assert from 'node:assert/strict'
import { assertLetIn, statusOf } from '../expect.ts'
import { countingGuard, type Guard } from '../guard.ts'
import type { Scenario, Stage } from '../scenario.ts'

const topic = 'the client’s own dispatcher or agent'
const method = 'POST'
const everyday = "/V1/user@example.com (1)'!/echo?b&a=2"

/** A proxy, a client certificate or a guard against private addresses: no request goes around it. */
export const dispatchers: readonly Scenario[] = [
  guarded('is asked for a URL that has to be encoded', async (stage, guard) => {
    const { send } = stage.connect(stage.sigV4Auth(), {}, guard)
    const response = await send({ method, url: stage.url(everyday), body: 'the body' })
    assert.match(await response.text(), /the body/)
    assertLetIn(stage.requests(), 'sigv4')
  }),
  guarded('is asked for exactly the URL that was signed', async (stage, guard) => {
    const { send } = stage.connect(stage.sigV4Auth(), {}, guard)
    const response = await send({ method, url: stage.url(everyday), body: 'the body' })
    assert.equal(response.status, 200)
    const target = '/V1/user%40example.com%20%281%29%27%21/echo?a=2&b='
    assert.equal(stage.requests()[0]?.target, target)
  }),
  guarded('is asked for each attempt', async (stage, guard) => {
    stage.emulator.fault({ skewMs: 3_600_000 })
    const { send } = stage.connect(stage.sigV4Auth(), {}, guard)
    assert.equal(await statusOf(send({ method, url: stage.url(everyday), body: 'x' })), 200)
    assertLetIn(stage.requests(), 'sigv4: RequestTimeTooSkewed', 'sigv4')
  }),
  guarded('is asked for the target of a redirect', async (stage, guard) => {
    const path = '/V1/from'
    stage.front.instead({ path, status: 307, headers: { location: everyday } })
    const { send } = stage.connect(stage.sigV4Auth(), {}, guard)
    const response = await send({ method, url: stage.url(path), body: 'the body' })
    assert.match(await response.text(), /the body/)
    assertLetIn(stage.requests(), 'sigv4', 'sigv4')
  }),
]

/** A scenario whose every request must have passed the guard, however it ends. */
function guarded(name: string, run: (stage: Stage, guard: Guard) => Promise<void>): Scenario {
  return {
    topic,
    name,
    async run(stage) {
      const guard = countingGuard()
      try {
        await run(stage, guard)
      } finally {
        assert.equal(guard.asked(), stage.front.passed.length, 'a request went around the guard')
        guard.agent.destroy()
      }
    },
  }
}
