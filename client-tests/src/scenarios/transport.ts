import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { assertLetIn } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'on the wire'
const method = 'POST'

/** What lies below the requests. */
export const transport: readonly Scenario[] = [
  ...Object.entries({ gzip: gzipSync, br: brotliCompressSync }).map(
    ([coding, compress]): Scenario => ({
      topic,
      name: `answers compressed with ${coding}`,
      async run({ connect, serviceAuth, url, front }) {
        front.instead({
          path: '/V1/echo',
          status: 200,
          headers: { 'content-type': 'application/json', 'content-encoding': coding },
          body: compress('{"data":{"echo":"once compressed"}}'),
        })
        const { send } = connect(serviceAuth())
        const answer = await send({ method, url: url('/V1/echo'), body: 'x' })
        assert.match(await answer.text(), /once compressed/)
      },
    }),
  ),
  {
    topic,
    name: 'HTTP/1.1, on connections that are kept',
    async run({ connect, serviceAuth, url, front, emulator, requests }) {
      const { send } = connect(serviceAuth())
      for (let count = 1; count <= 8; count += 1) {
        if (count === 4) emulator.revokeTokens()
        const answer = await send({ method, url: url('/user/echo'), body: 'x' })
        await answer.text()
        // Node gives a connection back only after its answer has ended.
        await setImmediate()
      }
      assert.deepEqual([...new Set(front.passed.map(({ httpVersion }) => httpVersion))], ['1.1'])
      assert.equal(requests().length, 9)
      // One more, since a refused answer may still be read away when the next attempt leaves.
      assert(front.connections() <= 2, `${front.connections()} connections`)
    },
  },
  {
    topic,
    name: 'HTTP/2',
    over: 'https',
    async run({ connect, serviceAuth, url, front, emulator, requests }) {
      const { send } = connect(serviceAuth())
      for (const path of ['/user/echo', '/V1/echo', '/user/echo']) {
        if (front.passed.length === 2) emulator.revokeTokens()
        const answer = await send({ method, url: url(path), body: 'the body' })
        assert.match(await answer.text(), /the body/)
      }
      assertLetIn(requests(), 'token', 'sigv4', 'token: RevokedToken', 'token')
      assert.deepEqual([...new Set(front.passed.map(({ httpVersion }) => httpVersion))], ['2.0'])
    },
  },
]
