import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'

const program = `
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { explain } from '@svc/auth-sigv4/explain'
const { headers } = await explain(createAwsAuth(), 'https://sqs.us-east-1.amazonaws.com/')
console.log(headers.get('authorization').split('/')[0], headers.get('x-amz-security-token'))
`

test.each<[what: string, environment: Record<string, string>, printed: string]>([
  ['a key', {}, 'AWS4-HMAC-SHA256 Credential=AKIDREADER null\n'],
  [
    'a temporary key',
    { AWS_SESSION_TOKEN: 'a-token' },
    'AWS4-HMAC-SHA256 Credential=AKIDREADER a-token\n',
  ],
  ['an empty token', { AWS_SESSION_TOKEN: '' }, 'AWS4-HMAC-SHA256 Credential=AKIDREADER null\n'],
])('without credentials, %s of the environment signs', async (_what, environment, printed) => {
  const { stdout, stderr } = await runProgram({
    AWS_ACCESS_KEY_ID: 'AKIDREADER',
    AWS_SECRET_ACCESS_KEY: 'not-a-secret',
    ...environment,
  })
  expect(stderr).toBe('')
  expect(stdout).toBe(printed)
})

test.each([
  {},
  { AWS_ACCESS_KEY_ID: 'AKIDREADER', AWS_SECRET_ACCESS_KEY: '' },
  { AWS_SECRET_ACCESS_KEY: 'not-a-secret' },
])('without a key in the environment, the error names what to set', async (environment) => {
  const { status, stderr } = await runProgram(environment)
  expect(status).toBe(1)
  expect(stderr).toContain(
    'TypeError: [@svc/auth-sigv4/aws] createAwsAuth: credentials must be given, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY be in the environment',
  )
  expect(stderr).not.toContain('not-a-secret')
})

function runProgram(environment: Record<string, string>) {
  const command = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
  const args = [...command, '--input-type=module', '--eval', program]
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']
  const none = Object.fromEntries(names.map((name) => [name, undefined]))
  // The package finds itself by name from its own folder.
  const folder = join(import.meta.dirname, '../..')
  return run(process.execPath, args, '', { ...none, ...environment }, folder)
}
