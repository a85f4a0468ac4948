import assert from 'node:assert/strict'
import { streaming } from '@svc/auth-sigv4/streaming'
import { assertLetIn, authCodeOf, bodyOf, failureOf, statusOf } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'streams'
const method = 'POST'
// More than an adapter keeps of a body that it is given as a `Request`.
const large = Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024))

/** Bodies and responses that are there only piece by piece. */
export const streams: readonly Scenario[] = [
  {
    topic,
    name: 'a stream is uploaded from its first chunk on',
    async run({ connect, tokenAuth, url, front, requests, until }) {
      // A client that is given a `Request` would keep what it reads of it.
      const { send } = connect(tokenAuth(), { maxReplayBytes: 0 })
      const { body, release } = heldStream(['first ', 'second'])
      const call = send({ method, url: url('/user/echo'), body })
      // Fails at once where the client does not get that far.
      await Promise.race([call, until(() => front.passed[0]?.receivedBytes === 'first '.length)])
      assert.equal(requests().length, 0)
      release()

      assert.equal((await call).status, 200)
      assertLetIn(requests(), 'token')
      assert.equal(bodyOf(requests()[0]), 'first second')
    },
  },
  {
    topic,
    name: 'a stream of 10 MiB is uploaded while it is read',
    async run({ connect, tokenAuth, url, front, requests, until }) {
      const { send } = connect(tokenAuth())
      const { body, release } = heldStream(large)
      const call = send({ method, url: url('/user/echo'), body })
      await Promise.race([call, until(() => (front.passed[0]?.receivedBytes ?? 0) > 0)])
      assert.equal(requests().length, 0)
      release()

      assert.equal((await call).status, 200)
      assertLetIn(requests(), 'token')
      assert.equal(requests()[0]?.body.byteLength, sizeOf(large))
    },
  },
  {
    topic,
    name: 'a signed stream is uploaded over https, its content unsigned',
    over: 'https',
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      const { body, release } = heldStream(large)
      release()
      // Servers like S3, and the emulator, respond 411 to a stream of unknown length.
      const headers = { 'content-length': String(sizeOf(large)) }
      assert.equal((await send({ method, url: url('/V1/echo'), body, headers })).status, 200)
      assertLetIn(requests(), 'sigv4')
      assert.equal(requests()[0]?.headers['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD')
      assert.equal(requests()[0]?.body.byteLength, sizeOf(large))
    },
  },
  {
    topic,
    name: 'a signed stream is uploaded over http on loopback, its content unsigned',
    async run({ connect, sigV4Auth, url, requests }) {
      const { send } = connect(sigV4Auth({ payload: 'auto' }))
      const { body, release } = heldStream(large)
      release()
      const headers = { 'content-length': String(sizeOf(large)) }
      assert.equal((await send({ method, url: url('/V1/echo'), body, headers })).status, 200)
      assertLetIn(requests(), 'sigv4')
      assert.equal(requests()[0]?.headers['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD')
      assert.equal(requests()[0]?.body.byteLength, sizeOf(large))
    },
  },
  {
    topic,
    name: 'a stream that must be signed is refused with an error code',
    async run({ connect, sigV4Auth, url, requests }) {
      const { send } = connect(sigV4Auth({ payload: 'signed' }))
      const { body, release } = heldStream(large)
      release()
      const error = await failureOf(send({ method, url: url('/V1/echo'), body }))
      assert.equal(authCodeOf(error), 'ERR_AUTH_BODY')
      assert.equal(requests().length, 0)
    },
  },
  {
    topic,
    name: 'a stream in signed chunks',
    async run({ connect, sigV4Auth, url, requests }) {
      const { send } = connect(sigV4Auth({ payload: streaming() }))
      const { body, release } = heldStream(['first ', 'second'])
      release()
      const headers = { 'x-amz-decoded-content-length': '12' }
      assert.equal(
        await statusOf(send({ method: 'PUT', url: url('/V1/echo'), body, headers })),
        200,
      )
      assertLetIn(requests(), 'sigv4')
      assert.equal(
        requests()[0]?.headers['x-amz-content-sha256'],
        'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      )
    },
  },
  {
    topic,
    name: 'a refused stream is not sent twice, and the 401 reaches the caller',
    async run({ connect, tokenAuth, url, emulator, requests }) {
      const auth = tokenAuth()
      await auth.getToken()
      emulator.revokeTokens()
      const { send } = connect(auth)
      const { body, release } = heldStream(large)
      release()
      assert.equal(await statusOf(send({ method, url: url('/user/echo'), body })), 401)
      assertLetIn(requests(), 'token: RevokedToken')
    },
  },
  {
    topic,
    name: 'a response can be read while it is being sent',
    async run({ connect, tokenAuth, url, front }) {
      const gate = heldGate()
      front.instead({
        path: '/user/echo',
        status: 200,
        headers: { 'content-type': 'text/plain' },
        async *body() {
          yield 'first '
          await gate.opened
          yield 'second'
        },
      })
      const { send } = connect(tokenAuth())
      const response = await send({ method, url: url('/user/echo'), body: 'x', streamed: true })
      const pieces: string[] = []
      for await (const chunk of response.chunks()) {
        pieces.push(Buffer.from(chunk).toString())
        gate.open()
      }
      assert.deepEqual(pieces, ['first ', 'second'])
    },
  },
]

/** A stream whose last piece comes when it is released. */
function heldStream(pieces: readonly string[]): {
  body: ReadableStream<Uint8Array>
  release: () => void
} {
  const gate = heldGate()
  let next = 0
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = pieces[next]
        next += 1
        if (next === pieces.length) await gate.opened
        if (piece === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(piece))
      },
    },
    { highWaterMark: 0 },
  )
  return { body, release: gate.open }
}

function sizeOf(pieces: readonly string[]): number {
  return pieces.reduce((size, { length }) => size + length, 0)
}

function heldGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
