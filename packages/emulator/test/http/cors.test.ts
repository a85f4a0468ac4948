import { expect, test } from 'vitest'
import { listening } from '../support/emulator.ts'

test('a preflight is allowed whatever it asks for, without authentication', async () => {
  const { emulator, server } = await listening()
  const response = await fetch(new URL('/user/groups', server.url), {
    method: 'OPTIONS',
    headers: {
      origin: 'https://page.test',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,x-svc-security-token',
    },
  })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-methods')).toBe('PATCH')
  expect(response.headers.get('access-control-allow-headers')).toBe(
    'authorization,x-svc-security-token',
  )
  expect(emulator.requests[0]?.auth).toEqual({ scheme: 'none', ok: true })
})

test('an OPTIONS that is no preflight is authenticated', async () => {
  const { server } = await listening()
  const url = new URL('/user/groups', server.url)
  expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(401)
})

test('every response can be read by any page, Date and ETag too, refusals and faults included', async () => {
  const { emulator, groups, signed, token } = await listening()
  const good = await groups(await token())
  const refused = await groups('garbage')
  emulator.fault({ times: 1, status: 503 })
  const fault = await groups('garbage')
  for (const { headers } of [good, refused, fault]) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toMatch(/Date, ETag/)
    expect(headers.get('date')).toBe('Fri, 02 Jan 2026 03:04:05 GMT')
  }
  expect((await signed({})).headers['access-control-allow-origin']).toBe('*')
})

test("a page can read an object's own metadata", async () => {
  const { signed } = await listening()
  const target = '/V1/photo.jpg'
  await signed({ method: 'PUT', target, headers: [['x-amz-meta-place', 'Cologne']] })
  const { headers } = await signed({ target })
  expect(headers['x-amz-meta-place']).toBeDefined()
  expect(headers['access-control-expose-headers']).toMatch(/x-amz-meta-place/)
})
