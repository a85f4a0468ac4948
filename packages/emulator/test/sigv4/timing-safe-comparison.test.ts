import type * as Crypto from 'node:crypto'
import { createHash } from 'node:crypto'
import type * as Jose from 'jose'
import { createEmulator, type RawRequest, verifySigV4 } from '@svc/emulator'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { presign } from '../support/presign.ts'
import { signChunks } from '../support/sign-chunks.ts'
import { sign, testAt, testKey } from '../support/sign.ts'

// Time tells nothing on a machine that is busy, so the comparison itself is observed: each secret has to
// pass through `timingSafeEqual`, and a token through the verification of its signature.
const observed = vi.hoisted(() => ({ compared: [] as string[], verified: [] as unknown[] }))
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>()
  return {
    ...crypto,
    timingSafeEqual(left: NodeJS.ArrayBufferView, right: NodeJS.ArrayBufferView) {
      for (const side of [left, right]) {
        observed.compared.push(
          Buffer.from(side.buffer, side.byteOffset, side.byteLength).toString('hex'),
        )
      }
      return crypto.timingSafeEqual(left, right)
    },
  }
})
vi.mock('jose', async (original) => {
  const jose = await original<typeof Jose>()
  return {
    ...jose,
    jwtVerify(...parameters: Parameters<typeof jose.jwtVerify>) {
      observed.verified.push(parameters[0])
      return jose.jwtVerify(...parameters)
    },
  }
})

beforeEach(() => {
  observed.compared.length = 0
  observed.verified.length = 0
})

/** Tells if a text was compared by its digest, which has one length whatever the text is. */
function wasCompared(text: string): boolean {
  return observed.compared.includes(createHash('sha256').update(text).digest('hex'))
}

const key = { ...testKey, sessionToken: 'not-a-secret-session-token' }
const options = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }
const wrong = 'a'.repeat(64)

function changed(
  request: RawRequest,
  header: string,
  change: (value: string) => string,
): RawRequest {
  const rawHeaders = request.rawHeaders.map(([name, value]): [string, string] => [
    name,
    name === header ? change(value) : value,
  ])
  return { ...request, rawHeaders }
}

describe('a comparison that takes the same time wherever the two differ is made of', () => {
  test('the signature of a header', async () => {
    const request = changed(sign(), 'authorization', (value) => value.replace(/\w{64}$/, wrong))
    expect(await verifySigV4(request, options)).toMatchObject({ code: 'SignatureDoesNotMatch' })
    expect(wasCompared(wrong)).toBe(true)
    expect(wasCompared(sign().signature)).toBe(true)
  })

  test('the signature of a presigned URL', async () => {
    const { target, ...rest } = presign()
    const request = { ...rest, target: target.replace(/\w{64}$/, wrong) }
    expect(await verifySigV4(request, options)).toMatchObject({ code: 'SignatureDoesNotMatch' })
    expect(wasCompared(wrong)).toBe(true)
  })

  test.each(['PAYLOAD', 'PAYLOAD-TRAILER'] as const)(
    'the signatures of chunks: %s',
    async (payload) => {
      const request = signChunks({ payload })
      const text = Buffer.from(request.body).toString('latin1')
      const body = Buffer.from(text.replace(/(?<=chunk-signature=)\w{64}/, wrong), 'latin1')
      expect(await verifySigV4({ ...request, body }, options)).toMatchObject({
        code: 'SignatureDoesNotMatch',
      })
      expect(wasCompared(wrong)).toBe(true)
    },
  )

  test('the signature of a trailer', async () => {
    const request = signChunks({ payload: 'PAYLOAD-TRAILER' })
    const text = Buffer.from(request.body).toString('latin1')
    const body = Buffer.from(text.replace(/(?<=trailer-signature:)\w{64}/, wrong), 'latin1')
    expect(await verifySigV4({ ...request, body }, options)).toMatchObject({
      code: 'SignatureDoesNotMatch',
    })
    expect(wasCompared(wrong)).toBe(true)
  })

  test('the hash of a payload', async () => {
    const request = sign({ method: 'PUT', body: 'x', payloadHash: wrong })
    expect(await verifySigV4(request, options)).toMatchObject({ ok: false })
    expect(wasCompared(wrong)).toBe(true)
  })

  test('a session token', async () => {
    const request = sign({ headers: [['x-amz-security-token', 'wrong-session-token']] })
    const verification = await verifySigV4(request, { ...options, apiKeys: [key] })
    expect(verification).toMatchObject({ code: 'InvalidToken' })
    expect(wasCompared('wrong-session-token')).toBe(true)
    expect(wasCompared(key.sessionToken)).toBe(true)
  })

  test.each(['primary@example.com', 'nobody@example.com'])(
    'a password, whoever logs in: %s',
    async (username) => {
      const response = await createEmulator().fetch('http://localhost/user/login', {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'x-svc-route-token': 'login',
        },
        body: JSON.stringify({ Username: username, Password: 'wrong-password' }),
      })
      expect(response.status).toBe(401)
      expect(wasCompared('wrong-password')).toBe(true)
      expect(wasCompared('not-a-secret-primary')).toBe(true)
    },
  )
})

test('a token is believed by its signature alone, before anything is looked up', async () => {
  const token = 'e30.e30.AAAA'
  const response = await createEmulator().fetch('http://localhost/user/groups', {
    headers: { 'x-svc-security-token': token, 'x-svc-route-token': 'login' },
  })
  expect(response.status).toBe(401)
  expect(observed.verified).toEqual([token])
})

test('both sides of a comparison are digests of one length', async () => {
  await verifySigV4(sign(), options)
  expect(observed.compared.length).toBeGreaterThan(1)
  expect(new Set(observed.compared.map(({ length }) => length))).toEqual(new Set([64]))
})
