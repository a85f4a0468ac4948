import assert from 'node:assert/strict'
import { authCodeOf, failureOf, statusOf } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'Digest'

/** Challenges that are answered, by all who call. */
export const digest: readonly Scenario[] = [
  {
    topic,
    name: 'ten concurrent calls share one challenge, and their bodies are sent whole',
    async run({ connect, digestAuth, url, front }) {
      const { send } = connect(digestAuth())
      const call = { method: 'POST', url: url('/digest/SHA-256/a?b=c'), body: 'the body' } as const
      const calls = Array.from({ length: 10 }, () => send(call))
      assert.deepEqual(await Promise.all(calls.map(statusOf)), Array(10).fill(200))
      assert.equal(front.passed.length, 11)
      const last = await (await send(call)).text()
      assert.match(last, /the body/)
    },
  },
  {
    topic,
    name: 'a wrong password is sent once, and the error says so to everybody',
    async run({ connect, digestAuth, url, front }) {
      const { send } = connect(digestAuth('wrong'))
      const call = { method: 'POST', url: url('/digest/SHA-256/a'), body: 'the body' } as const
      const calls = Array.from({ length: 3 }, () => failureOf(send(call)).then(authCodeOf))
      assert.deepEqual(new Set(await Promise.all(calls)), new Set(['ERR_AUTH_LOGIN_REFUSED']))
      // The first had no answer.
      assert.equal(front.passed.length, 2)
    },
  },
]
