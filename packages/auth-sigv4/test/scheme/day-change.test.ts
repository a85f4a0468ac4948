import type { CredentialScope, SigningEngine } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { presign } from '@svc/auth-sigv4/presign'
import { describe, expect, test } from 'vitest'
import { exampleAuth, outgoingRequest } from '../support/signing.ts'

const midnight = Date.UTC(2015, 7, 31)
const dayMs = 24 * 60 * 60 * 1000
const url = 'https://examplebucket.s3.amazonaws.com/k'

/** An engine that tells for which scopes it derived a key. */
function countingEngine(): { engine: SigningEngine; derived: CredentialScope[] } {
  const native = nativeEngine()
  const derived: CredentialScope[] = []
  return {
    derived,
    engine: {
      ...native,
      deriveKey(secretAccessKey, scope) {
        derived.push(scope)
        return native.deriveKey(secretAccessKey, scope)
      },
    },
  }
}

describe('at midnight UTC', () => {
  test('the next request is signed with the key of the new day', async () => {
    const { engine, derived } = countingEngine()
    let now = midnight - 1
    const auth = exampleAuth({ engine, clock: () => now })
    const before = await explain(auth, url)
    now += 1
    const after = await explain(auth, url)
    expect(before.stringToSign).toMatch(
      /\n20150830T235959Z\n20150830\/us-east-1\/s3\/aws4_request\n/,
    )
    expect(after.stringToSign).toMatch(
      /\n20150831T000000Z\n20150831\/us-east-1\/s3\/aws4_request\n/,
    )
    expect(derived.map(({ date }) => date)).toEqual(['20150830', '20150831'])
    const fresh = exampleAuth({ clock: () => midnight })
    expect(after.signature).toBe((await explain(fresh, url)).signature)
    expect((await presign(auth, url)).href).toBe((await presign(fresh, url)).href)
  })

  test('a request that was late, or a clock that is set back, has the old day still cached', async () => {
    const { engine, derived } = countingEngine()
    const auth = exampleAuth({ engine })
    for (const at of [midnight - 1, midnight, midnight - 2, midnight + 1]) {
      const { stringToSign } = await explain(auth, url, undefined, { at })
      const [, date = '', scope = ''] = stringToSign.split('\n')
      expect(scope.slice(0, 8)).toBe(date.slice(0, 8))
    }
    expect(derived).toHaveLength(2)
  })

  test('date and scope are of one instant, however the clock runs', async () => {
    let now = midnight - 20
    const auth = exampleAuth({ clock: () => (now += 1) })
    const days = new Set<string>()
    for (let n = 0; n < 20; n += 1) {
      const { headers } = await auth.authorize(outgoingRequest(url))
      const sent = new Map(headers)
      const day = sent.get('x-amz-date')?.slice(0, 8) ?? ''
      expect(sent.get('authorization')).toContain(`/${day}/us-east-1/s3/aws4_request`)
      days.add(day)
    }
    expect([...days]).toEqual(['20150830', '20150831'])
  })
})

describe('signing keys', () => {
  test('are derived once a day, and the last 16 are kept', async () => {
    const { engine, derived } = countingEngine()
    const auth = exampleAuth({ engine })
    const sign = (day: number) => explain(auth, url, undefined, { at: midnight + day * dayMs })
    for (let day = 0; day < 500; day += 1) {
      await sign(day)
      await sign(day)
    }
    expect(derived).toHaveLength(500)
    for (let day = 499; day >= 500 - 16; day -= 1) await sign(day)
    expect(derived).toHaveLength(500)
    await sign(500 - 17)
    expect(derived).toHaveLength(501)
  })

  test('of many access keys are bounded too', async () => {
    const { engine, derived } = countingEngine()
    let count = 0
    const auth = exampleAuth({
      engine,
      credentials() {
        count += 1
        return { accessKeyId: `AKID${count}`, secretAccessKey: `secret${count}` }
      },
    })
    for (let n = 0; n < 500; n += 1) await explain(auth, url)
    expect(derived).toHaveLength(500)
    count = 0
    await explain(auth, url)
    expect(derived).toHaveLength(501)
    count = 499
    await explain(auth, url)
    expect(derived).toHaveLength(501)
  })
})
