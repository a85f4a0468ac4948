import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { presign } from '@svc/auth-sigv4/presign'
import { defaultApiKeys } from '@svc/emulator'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { awkwardPath, awkwardQuery } from '../peers/awkward.ts'
import { otherService, serviceServer } from '../support/service-server.ts'
import { atNight } from '../../../../tests/support/nightly.ts'

const setUp = async () => {
  const { origin, arrived } = await serviceServer()
  const auth = createSigV4Auth({
    baseUrl: origin,
    region: 'us-east-1',
    service: otherService,
    credentials: defaultApiKeys[0],
  })
  return { origin, arrived, auth, fetch: authFetch(auth) }
}

test.each([
  ['/a%2Fb', '/a%2Fb'],
  ['/a%2fb', '/a%2fb'],
  ['/a//b', '/a//b'],
  ['//a//', '//a//'],
  ['/%61%2520', '/%61%2520'],
  ["/a|b[c]!'()", '/a%7Cb%5Bc%5D%21%27%28%29'],
])('a service other than s3 is asked for %s as %s, and accepts it', async (path, target) => {
  const { origin, arrived, auth, fetch } = await setUp()
  expect((await fetch(origin + path)).status).toBe(200)
  const link = await presign(auth, origin + path)
  expect((await globalThis.fetch(link)).status).toBe(200)
  expect(arrived.map((request) => request.target.split('?')[0])).toEqual([target, target])
})

test('any path and query of a service other than s3 are accepted', async () => {
  const { origin, arrived, auth, fetch } = await setUp()
  await fc.assert(
    fc.asyncProperty(awkwardPath, awkwardQuery, async (path, query) => {
      arrived.length = 0
      const address = new URL(origin + path + query)
      await (await fetch(address)).arrayBuffer()
      const link = await presign(auth, address)
      await (await globalThis.fetch(link)).arrayBuffer()
      expect(arrived).toMatchObject([
        { verification: { ok: true } },
        { verification: { ok: true } },
      ])
      const bytes = unescaped(address.pathname)
      for (const { target } of arrived) expect(unescaped(target.split('?')[0] ?? '')).toBe(bytes)
    }),
    { numRuns: atNight(500, 150), seed: 20_130_524 },
  )
})

/** A path without escapes, in Latin-1, but for those of a slash, which is not the same here. */
function unescaped(path: string): string {
  return path.replaceAll(/%(?!2f)([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
