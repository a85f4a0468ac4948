import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { assertLetIn } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'on the wire'
const method = 'POST'

/** The layers below the requests. */
export const transport: readonly Scenario[] = [
  ...Object.entries({ gzip: gzipSync, br: brotliCompressSync }).map(
    ([coding, compress]): Scenario => ({
      topic,
      name: `responses compressed with ${coding}`,
      async run({ connect, serviceAuth, url, front }) {
        front.instead({
          path: '/V1/echo',
          status: 200,
          headers: { 'content-type': 'application/json', 'content-encoding': coding },
          body: compress('{"data":{"echo":"once compressed"}}'),
        })
        const { send } = connect(serviceAuth())
        const response = await send({ method, url: url('/V1/echo'), body: 'x' })
        assert.match(await response.text(), /once compressed/)
      },
    }),
  ),
  {
    topic,
    name: 'HTTP/1.1, over reused connections',
    async run({ connect, serviceAuth, url, front, requests }) {
      const { send } = connect(serviceAuth())
      for (let count = 1; count <= 8; count += 1) {
        const response = await send({ method, url: url('/user/echo'), body: 'x' })
        await response.text()
        // Node gives a connection back only after its response has ended.
        await setImmediate()
      }
      assert(front.passed.every(({ httpVersion }) => httpVersion === '1.1'))
      assertLetIn(requests(), ...Array<string>(8).fill('token'))
      assert.equal(front.connections(), 1)
    },
  },
  {
    topic,
    name: 'HTTP/2',
    over: 'https',
    async run({ connect, serviceAuth, url, front, requests }) {
      const { send } = connect(serviceAuth())
      for (const path of ['/user/echo', '/V1/echo', '/user/echo']) {
        const response = await send({ method, url: url(path), body: 'the body' })
        assert.match(await response.text(), /the body/)
      }
      assertLetIn(requests(), 'token', 'sigv4', 'token')
      assert(front.passed.every(({ httpVersion }) => httpVersion === '2.0'))
    },
  },
  {
    topic,
    name: 'a refused token over HTTP/2: the body is sent again',
    over: 'https',
    async run({ connect, tokenAuth, url, front, emulator, requests }) {
      const auth = tokenAuth()
      await auth.getToken()
      emulator.revokeTokens()
      const { send } = connect(auth)
      const response = await send({ method, url: url('/user/echo'), body: 'the body' })

      assert.match(await response.text(), /the body/)
      assertLetIn(requests(), 'token: RevokedToken', 'token')
      assert(front.passed.every(({ httpVersion }) => httpVersion === '2.0'))
    },
  },
]
