import { describe, expect, test } from 'vitest'
import { verifySigV4 } from '@svc/emulator'
import { listening, send } from '../support/emulator.ts'
import { presign } from '../support/presign.ts'
import { sign, testAt, testKey } from '../support/sign.ts'

describe('an escape that is none', () => {
  test.each([
    ['/V1/%zz', '/V1/%25zz'],
    ['/V1/100%', '/V1/100%25'],
    ['/V1/%4', '/V1/%254'],
    ['/V1/%4/1', '/V1/%254/1'],
    ['/V1/%%20', '/V1/%25%20'],
    ['/V1/%u0041', '/V1/%25u0041'],
    ['/%zz', '/%25zz'],
  ])('gets 400 in the path %s, signed or not', async (target, canonicalPath) => {
    const { server, signed } = await listening()
    for (const response of [
      await signed({ method: 'PUT', target, canonicalPath }),
      await send(server.url, { method: 'GET', target, rawHeaders: [['host', 'h']] }),
    ]) {
      expect(response.status).toBe(400)
      expect(response.text).toContain('<Code>InvalidURI</Code>')
    }
  })

  test.each([
    ['a=%zz', 'a=%25zz'],
    ['%=1', '%25=1'],
    ['a=1%', 'a=1%25'],
  ])('gets 400 in the query %s', async (query, canonicalQuery) => {
    const { signed } = await listening()
    const target = `/V1/object?${query}`
    expect(await signed({ target, canonicalQuery })).toMatchObject({ status: 400 })
  })

  test.each(['/user/%zz', '/user/groups?a=%zz', '/USER/login?%', '/user%2'])(
    'gets 400 at %s, token or not',
    async (target) => {
      const { emulator, server } = await listening()
      const rawHeaders = [['host', 'h']] as const
      const { status, text } = await send(server.url, { method: 'GET', target, rawHeaders })
      expect([status, text.includes('InvalidURI')]).toEqual([400, true])
      expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: false, code: 'InvalidURI' })
    },
  )

  test('is a rejection of verifySigV4', async () => {
    const options = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }
    const request = presign({ path: '/V1/%zz' })
    expect(await verifySigV4(request, options)).toMatchObject({ code: 'InvalidURI', status: 400 })
  })
})

describe('a plus in a path', () => {
  const put = async (plusInPath: 'plus' | 'space' | undefined, canonicalPath: string) => {
    const { emulator, signed } = await listening(plusInPath === undefined ? {} : { plusInPath })
    const { status } = await signed({ method: 'PUT', target: '/V1/a+b', canonicalPath })
    const stored = await signed({ target: '/V1/a%20b' })
    return { status, isSpace: stored.status === 200, emulator }
  }

  test('is a plus by default', async () => {
    expect(await put(undefined, '/V1/a%2Bb')).toMatchObject({ status: 200, isSpace: false })
    expect(await put(undefined, '/V1/a%20b')).toMatchObject({ status: 403 })
    expect(await put('plus', '/V1/a%2Bb')).toMatchObject({ status: 200, isSpace: false })
  })

  test('is a space with plusInPath: space, in the signature and in the key', async () => {
    expect(await put('space', '/V1/a%20b')).toMatchObject({ status: 200, isSpace: true })
    expect(await put('space', '/V1/a%2Bb')).toMatchObject({ status: 403 })
  })

  test('means itself as %2B either way', async () => {
    for (const plusInPath of ['plus', 'space'] as const) {
      const { signed } = await listening({ plusInPath })
      expect(await signed({ method: 'PUT', target: '/V1/a%2Bb' })).toMatchObject({ status: 200 })
      expect(await signed({ target: '/V1/a%20b' })).toMatchObject({ status: 404 })
      const listing = await signed({ target: '/V1/' })
      expect(listing.text).toContain('<Key>a+b</Key>')
    }
  })

  test('is read the same way by verifySigV4, presigned too', async () => {
    const options = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }
    const verify = async (plusInPath: 'plus' | 'space', canonicalPath: string) => {
      const header = sign({ target: '/V1/a+b', canonicalPath })
      const query = presign({ path: canonicalPath })
      const target = query.target.replace(canonicalPath, '/V1/a+b')
      const verifyOptions = { ...options, plusInPath }
      return [
        (await verifySigV4(header, verifyOptions)).ok,
        (await verifySigV4({ ...query, target }, verifyOptions)).ok,
      ]
    }
    expect(await verify('plus', '/V1/a%2Bb')).toEqual([true, true])
    expect(await verify('space', '/V1/a%20b')).toEqual([true, true])
    expect(await verify('plus', '/V1/a%20b')).toEqual([false, false])
    expect(await verify('space', '/V1/a%2Bb')).toEqual([false, false])
  })
})
