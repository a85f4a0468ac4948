import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { describe, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../../examples/demo/main.ts', import.meta.url))

describe('the demo', () => {
  const demo = spawnSync(process.execPath, ['--conditions=@svc/source', main], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  const output = demo.stdout + demo.stderr

  test('ends with 0, every step as expected', () => {
    expect(demo.stderr).toBe('')
    expect(output).toMatch(/^(\d+) of \1 steps as expected, 3 logins\.$/m)
    expect(output).not.toContain('✗')
    expect(demo.status).toBe(0)
  })

  test('prints a table of what was sent, by which scheme, and what that added', () => {
    expect(output).toMatch(/^Step +Client +Request as sent +Scheme +Headers added +Status$/m)
    expect(output).toMatch(/ky +POST \/user\/login +login +x-svc-route-token: login +200$/m)
    expect(output).toMatch(/GET \/user\/groups +token +x-svc-security-token: \[redacted\] +401$/m)
    expect(output).toMatch(/sigv4 +x-amz-date: \d{8}T\d{6}Z +503$/m)
    expect(output).toContain('authorization: AWS4-HMAC-SHA256 …[redacted]')
    expect(output).toContain('PUT /V1/a%2Bb%20%26%20')
  })

  test('has no escape code where there is no terminal', () => {
    expect(output).not.toContain('\u001B')
  })

  test('shows no token, password, secret or signature', () => {
    const secrets = [...defaultUsers, ...defaultApiKeys].map((account) =>
      'password' in account ? account.password : account.secretAccessKey,
    )
    expect(secrets).toHaveLength(3)
    for (const secret of [...secrets, 'eyJ', 'Signature=']) expect(output).not.toContain(secret)
    // A column breaks what is longer, such as a hash of 64 digits.
    expect(output).not.toMatch(/[0-9a-f]{20}/)
  })

  test('ends by saying what to read next', () => {
    expect(output.trimEnd().split('\n').slice(-2).join('\n')).toMatch(/README.*\n.*ARCHITECTURE/)
  })
})
