import { explain } from '@svc/auth-sigv4/explain'
import { describe, expect, test } from 'vitest'
import { signedAt } from './fixtures/s3-examples.ts'
import { exampleAuth } from './support/signing.ts'

const url = 'https://examplebucket.s3.amazonaws.com/a b?c'

describe('an explanation', () => {
  test('shows every step, and the request as it is sent', async () => {
    const init = { headers: { 'x-amz-security-token': 'left over', 'x-trace': '1' } }
    const { headers, url: sent, ...steps } = await explain(exampleAuth(), url, init)
    expect(Object.keys(steps).toSorted()).toEqual([
      'canonicalRequest',
      'payloadHash',
      'signature',
      'signedHeaders',
      'stringToSign',
    ])
    expect(sent.href).toBe('https://examplebucket.s3.amazonaws.com/a%20b?c=')
    expect(headers.get('x-trace')).toBe('1')
    expect(headers.has('x-amz-security-token')).toBe(false)
    expect(headers.get('authorization')).toContain(`Signature=${steps.signature}`)
  })

  test('is that of now, or of the instant that is asked for', async () => {
    const auth = exampleAuth()
    const now = await explain(auth, url)
    expect(await explain(auth, url, undefined, {})).toEqual(now)
    expect(await explain(auth, url, undefined, { at: signedAt })).toEqual(now)
    const later = await explain(auth, url, undefined, { at: signedAt + 1000 })
    expect(later.stringToSign).toContain('\n20130524T000001Z\n')
  })

  test('leaves a Request as it is', async () => {
    const request = new Request(url, { method: 'PUT', body: 'text' })
    await explain(exampleAuth(), request)
    expect(await request.text()).toBe('text')
  })

  test.each([null, 5, 'now'])('is refused with %j for options', async (options) => {
    // @ts-expect-error -- what a caller without types may give
    await expect(explain(exampleAuth(), url, undefined, options)).rejects.toThrow(
      new TypeError('[@svc/auth-sigv4] explain: options must be an object with any of at'),
    )
  })
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 9e15, '2013-05-24'])(
  'explain refuses %s as an instant, by name',
  async (at) => {
    // @ts-expect-error -- one of them is no number, as a caller without types would give it
    const explained = explain(exampleAuth(), url, undefined, { at })
    await expect(explained).rejects.toThrow(
      new TypeError('[@svc/auth-sigv4] explain: at must be an instant in epoch milliseconds'),
    )
  },
)
