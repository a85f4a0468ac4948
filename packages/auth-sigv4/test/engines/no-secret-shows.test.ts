import { inspect } from 'node:util'
import { authFetch, createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { describe, expect, test } from 'vitest'
import { engines, outgoingRequest } from '../support/signing.ts'

const secret = 'NEVER-SHOWN-SECRET-0123456789'
const url = 'https://examplebucket.s3.amazonaws.com/k'
const scope = { date: '20150830', region: 'us-east-1', service: 's3' }
const shown = (value: unknown): string =>
  `${inspect(value, { showHidden: true, depth: 10, getters: true })} ${JSON.stringify(value)}`

const make = (options: Partial<SigV4AuthOptions> = {}) =>
  createSigV4Auth({
    baseUrl: 'https://examplebucket.s3.amazonaws.com',
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret },
    ...options,
  })

async function failure(action: () => unknown): Promise<unknown> {
  try {
    await action()
  } catch (error) {
    return error
  }
  throw new Error('did not fail')
}

describe.each(engines)('with the $name engine no secret shows in', (engine) => {
  test('the scheme, the engine, its key and its signatures', async () => {
    const auth = make({ engine })
    const explanation = await explain(auth, url)
    const seen = [
      auth,
      engine,
      await engine.deriveKey(secret, scope),
      explanation,
      [...explanation.headers],
      await auth.authorize(outgoingRequest(url)),
      await presign(auth, url),
      authFetch(auth),
    ]
    for (const value of seen) expect(shown(value)).not.toContain(secret)
  })

  test('errors', async () => {
    const bad = { accessKeyId: 'A KID', secretAccessKey: secret }
    const withBlank = { accessKeyId: 'AKID', secretAccessKey: `${secret} ` }
    const withBreak = { accessKeyId: 'AKID', secretAccessKey: secret, sessionToken: `${secret}\n` }
    const auth = make({ engine })
    const errors = await Promise.all([
      failure(() => make({ engine, credentials: bad })),
      failure(() => make({ engine, credentials: withBlank })),
      failure(() => make({ engine, credentials: withBreak })),
      failure(() => explain(make({ engine, credentials: () => withBlank }), url)),
      failure(() => presign(make({ engine, credentials: async () => bad }), url)),
      failure(() => explain(auth, `${url}/%2e%2e%2fb`)),
      failure(() => explain(auth, url, { headers: { authorization: 'x' } })),
      failure(() => presign(auth, 'https://elsewhere.example')),
      failure(() => explain(auth, `${url}?X-Amz-Signature=a`)),
    ])
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error)
      expect(shown(error)).not.toContain(secret)
    }
  })
})
