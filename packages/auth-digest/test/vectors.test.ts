import { nobleHashes } from '@svc/auth-digest/noble'
import { describe, expect, test } from 'vitest'
import { answerTo, digestOf, headOf, parameterOf, valueOf } from './support/challenges.ts'

const hashes = nobleHashes()

// RFC 7616, section 3.9.1.
describe('the first example of RFC 7616', () => {
  const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v'
  const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'
  const opaque = 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS'
  const credentials = { username: 'Mufasa', password: 'Circle of Life' }
  const challengeOf = (algorithm: string): string =>
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="${opaque}"`

  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('%s', async (algorithm, response) => {
    const options = { credentials, hashes, allowMd5: true, createCnonce: () => cnonce }
    const given = await answerTo(digestOf(options), challengeOf(algorithm), {
      path: '/dir/index.html',
    })
    expect(valueOf(given)).toBe(
      `Digest username="Mufasa", realm="http-auth@example.org", nonce="${nonce}", uri="/dir/index.html", ` +
        `algorithm=${algorithm}, response="${response}", opaque="${opaque}", qop=auth, nc=00000001, cnonce="${cnonce}"`,
    )
  })

  test('is answered with SHA-256 if it comes with both', async () => {
    const options = { credentials, hashes, allowMd5: true, createCnonce: () => cnonce }
    const both = `${challengeOf('MD5')}, ${challengeOf('SHA-256')}`
    const given = await answerTo(digestOf(options), both, { path: '/dir/index.html' })
    expect(parameterOf(valueOf(given), 'response')).toMatch(/^753927fa/)
  })
})

// Section 3.9.2 with erratum 4897: the RFC shows SHA-512 cut short, where SHA-512/256 is meant.
test('the second example of RFC 7616, with its erratum', async () => {
  const nonce = '5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK'
  const opaque = 'HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS'
  const auth = digestOf({
    credentials: { username: 'Jäsøn Doe', password: 'Secret, or not?' },
    hashes,
    createCnonce: () => 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v',
  })
  const value = valueOf(
    await answerTo(
      auth,
      `Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="${nonce}", opaque="${opaque}", charset=UTF-8, userhash=true`,
      { path: '/doe.json' },
    ),
  )
  expect(parameterOf(value, 'username')).toBe(
    '793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b',
  )
  expect(parameterOf(value, 'response')).toBe(
    '3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5',
  )
  expect(parameterOf(value, 'userhash')).toBe('true')
})

// RFC 2617, section 3.5, whose response proves the server too.
test('a proof of the server is checked', async () => {
  const auth = digestOf({
    credentials: { username: 'Mufasa', password: 'Circle Of Life' },
    hashes,
    allowMd5: true,
    createCnonce: () => '0a4f113b',
  })
  const given = await answerTo(
    auth,
    'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
    { path: '/dir/index.html' },
  )
  expect(parameterOf(valueOf(given), 'response')).toBe('6629fae49393a05397450978507c4ef1')
  const wrong = headOf(200, { 'authentication-info': 'rspauth="0123", qop=auth' })
  await expect(given.review?.(wrong)).rejects.toMatchObject({
    code: 'ERR_AUTH_CHALLENGE',
    message: expect.stringContaining('has another password'),
  })
  expect(auth.inspect()).toEqual({ state: 'challenged' })
})
