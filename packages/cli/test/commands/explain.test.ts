import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { runCommandLine, startService } from '../support/run-command-line.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const env = {
  SVC_AUTH_BASE_URL: 'https://search.example.com',
  SVC_AUTH_REGION: 'us-east-1',
  SVC_AUTH_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  SVC_AUTH_SECRET_ACCESS_KEY: 'not-a-secret-of-anyone',
}

test('explain shows every step with the clause that it implements, and never the key', async () => {
  const line = ['explain', '/V1/a b?y=2&x=1', '-H', 'x-amz-meta-a: ü']
  const { exitCode, stdout, stderr } = await runCommandLine(line, { env, now })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const shown = stdout
    .replaceAll(/\b[\da-f]{64}\b/g, '<hash>')
    .replaceAll(/ {2,}/g, ' | ')
    .split('\n')
  const expected = [
    'URL',
    ' | https://search.example.com/V1/a%20b?x=1&y=2',
    'Canonical request',
    ' | [2] method | GET',
    ' | [1] path, each byte encoded once | /V1/a%20b',
    ' | [1] query, encoded and sorted by name | x=1&y=2',
    ' | [1] header | x-amz-meta-a:ü',
    ' | [1] SHA-256 of the body | <hash>',
    'String to sign',
    ' | [4] credential scope | 20260102/us-east-1/s3/aws4_request',
    'Signing key',
    ' | [5] date key | HMAC-SHA256("AWS4" + secret access key, "20260102")',
    'Signature',
    ' | [6] HMAC-SHA256(signing key, string to sign) | <hash>',
    'Clauses',
  ]
  expect(shown).toEqual(expect.arrayContaining(expected))
  expect(stdout).not.toContain('not-a-secret-of-anyone')
  expect(stdout).not.toContain('\u001b')
})

test('explain --json has the canonical request whose hash is signed', async () => {
  const { stdout } = await runCommandLine(['explain', '--json', '/V1/x', '-d', 'hello'], {
    env,
    now,
  })
  const { canonicalRequest, stringToSign, payloadHash, url } = JSON.parse(stdout)
  expect(url).toBe('https://search.example.com/V1/x')
  expect(stringToSign.split('\n')[3]).toBe(
    createHash('sha256').update(canonicalRequest).digest('hex'),
  )
  expect(payloadHash).toBe(createHash('sha256').update('hello').digest('hex'))
})

test('explain tells a terminal that it shows a signature', async () => {
  const { stderr } = await runCommandLine(['explain', '/V1/x'], { env, now, isTerminal: true })
  expect(stderr).toBe('svc-auth: the output holds a valid signature: keep it out of logs\n')
})

test('explain shortens what names itself secret', async () => {
  const secret = 'customer-key-of-32  characters-x'
  const headers = ['-H', `x-amz-server-side-encryption-customer-key: ${secret}`]
  for (const format of [[], ['--json']]) {
    const line = ['explain', ...format, ...headers, '/V1/x']
    const { stdout } = await runCommandLine(line, { env, now })
    expect(stdout).not.toMatch(/customer-key-of/)
    expect(stdout).toContain('cust… (32 characters)')
  }
})

test('explain says of a path below /user that nothing is signed there', async () => {
  const service = await startService()
  const { exitCode, stderr } = await runCommandLine(['explain', '/USER//groups'], service)
  expect(exitCode).toBe(2)
  expect(stderr).toContain('is below /user, where the service takes a token and no signature')
})
