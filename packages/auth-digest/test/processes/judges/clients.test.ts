import { nobleHashes } from '@svc/auth-digest/noble'
import { describe, expect, test } from 'vitest'
import { serve } from '../../../../auth-hooks/test/support/server.ts'
import { hasProgram } from '../../../../../tests/support/needs.ts'
import { run } from '../../../../../tests/support/run-program.ts'
import { answerTo, challenge, digestOf, parameterOf, valueOf } from '../../support/challenges.ts'
import { python, reader, startReference } from '../../support/reference-server.ts'

const install = (name: string): string => `apt-get install -y --no-install-recommends ${name}`
const hasCurl = hasProgram('curl', ['curl', '--version'], install('curl'))
const hasRequests = hasProgram(
  'requests',
  [python, '-c', 'import requests'],
  install('python3-requests'),
)
const hashes = nobleHashes()

/** Another client of Digest: sends one request, and resolves to what it printed. */
type Judge = (method: string, url: string, body: string) => Promise<string>

const curl: Judge = async (method, url, body) => {
  const user = `${reader.username}:${reader.password}`
  const parts = ['--silent', '--digest', '--user', user, '--request', method, url]
  const sent = body === '' ? [] : ['--data-raw', body]
  const shown = ['--output', '/dev/null', '--write-out', '%{http_code}']
  const { stdout } = await run('curl', [...parts, ...sent, ...shown])
  return stdout
}

const requests: Judge = async (method, url, body) => {
  const script = new URL('requests-digest.py', import.meta.url).pathname
  const args = [script, method, url, reader.username, reader.password, body]
  const { stdout, stderr } = await run(python, args)
  expect(stderr).toBe('')
  return stdout.trim()
}

/** The parameters that both must send alike. */
const compared = [
  'username',
  'realm',
  'nonce',
  'uri',
  'response',
  'opaque',
  'qop',
  'nc',
  'userhash',
]

const judges = [
  ['curl', hasCurl, curl, ['MD5', 'MD5-sess', 'SHA-256', 'SHA-256-sess']],
  // It does not know `-sess`.
  ['requests', hasRequests, requests, ['MD5', 'SHA-256']],
] as const

describe.each(judges)('%s', (name, isThere, judge, algorithms) => {
  describe.skipIf(!isThere).each(algorithms)('with %s', (algorithm) => {
    test.each([
      ['GET', '/', ''],
      ['GET', '/a/b%20c%2F?d=e&f=%C3%A9', ''],
      ['POST', '/form', 'a=b&c=d'],
    ])('answers %s %s as we do', async (method, path, body) => {
      const isHidden = name === 'curl' && algorithm.startsWith('SHA-256')
      const value =
        `Digest realm="the realm, of tests", nonce="bm9uY2U=", opaque="b3BhcXVl", algorithm=${algorithm}, ` +
        `qop="auth"${isHidden ? ', userhash=true' : ''}`
      const server = await serve(({ headers }, response) => {
        if (headers.authorization) response.end()
        else challenge(response, value)
      })
      expect(await judge(method, server.origin + path, body)).toBe('200')

      const theirs = server.arrived.at(-1)?.headers.authorization
      const createCnonce = (): string => parameterOf(theirs, 'cnonce') ?? ''
      const auth = digestOf({ hashes, allowMd5: true, createCnonce })
      const ours = valueOf(await answerTo(auth, value, { method, path }))
      const pick = (header: string | null | undefined): (string | undefined)[] =>
        compared.map((each) => parameterOf(header, each))
      expect(createCnonce()).not.toBe('')
      expect(pick(ours)).toEqual(pick(theirs))
    })

    test('is accepted by the reference server too', async () => {
      const { origin } = await startReference({ challenges: [{ algorithm, qop: 'auth' }] })
      expect(await judge('PUT', `${origin}/a?b=c`, 'body')).toBe('200')
    })
  })
})
