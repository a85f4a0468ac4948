import { expect, test } from 'vitest'
import { openProxy, secretHeader } from '../support/open-proxy.ts'
import { runCommand } from '../support/run-command.ts'
import { startService } from '../support/run-command-line.ts'

const faulty = [
  ['SVC_AUTH_SECRET_ACCESS_KEY', 'secret access key', '\r', 'ends with a blank or a line break'],
  ['SVC_AUTH_SECRET_ACCESS_KEY', 'secret access key', ' x', 'contains a blank or a line break'],
  ['SVC_AUTH_ACCESS_KEY_ID', 'access key ID', ' ', 'ends with a blank or a line break'],
  ['SVC_AUTH_SESSION_TOKEN', 'session token', 'a\nb', 'contains a blank or a line break'],
] as const

test.each(faulty)('%s with a blank is told in one sentence: %s + %j', async (...fault) => {
  const [name, field, added, problem] = fault
  const { emulator, env } = await startService()
  const own = { ...env, [name]: `${env[name] ?? ''}${added}` }
  const sentence = `svc-auth: the ${field} ${problem}: copy it again (it is from ${name})\n`
  const commands = ['fetch', 'sign', 'presign', 'explain', 'diagnose']
  for (const command of commands) {
    const { exitCode, stderr } = await runCommand([command, '/V1/a'], { env: own })
    expect({ command, exitCode, stderr }).toEqual({ command, exitCode: 2, stderr: sentence })
  }
  expect(emulator.requests).toEqual([])
  expect((await runCommand(['doctor'], { env: own })).stdout).toContain(`the ${field} ${problem}`)
})

test('the client of a proxy is told the same sentence', async () => {
  const { baseUrl } = await startService()
  const env = { SVC_AUTH_SECRET_ACCESS_KEY: 'a secret' }
  const { url } = await openProxy({ baseUrl, env })
  const response = await fetch(`${url}/V1/a`, { headers: secretHeader })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain(
    'the secret access key contains a blank or a line break: copy it again (it is from SVC_AUTH_SECRET_ACCESS_KEY)',
  )
})

test.each(['\r', '\r\n', '\n'])('a password that ends with %j is read without it', async (end) => {
  const { env } = await startService()
  const { SVC_AUTH_PASSWORD: password = '', ...withoutPassword } = env
  const given = `${password}${end}`
  const variable = { env: { ...env, SVC_AUTH_PASSWORD: given } }
  expect(await runCommand(['token'], variable)).toMatchObject({ exitCode: 0, stderr: '' })
  const piped = { env: withoutPassword, stdin: given }
  expect((await runCommand(['login', '--password-stdin'], piped)).exitCode).toBe(0)
})

test.each([
  ['SVC_AUTH_SECRET_ACCESS_KEY', 'fetch /V1/a'],
  ['SVC_AUTH_ACCESS_KEY_ID', 'presign /V1/a'],
  ['SVC_AUTH_REGION', 'sign /V1/a'],
  ['SVC_AUTH_BASE_URL', 'fetch /V1/a'],
  ['SVC_AUTH_USERNAME', 'fetch /user/groups'],
  ['SVC_AUTH_PASSWORD', 'token'],
  ['SVC_AUTH_PASSWORD', 'login'],
])('%s that is set and empty is said to be empty by %s', async (name, line) => {
  const { env } = await startService()
  const outside = { env: { ...env, [name]: '' } }
  const { exitCode, stderr } = await runCommand(line.split(' '), outside)
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(new RegExp(` \\(${name} is empty\\)\n$`))
  const { stdout } = await runCommand(['doctor'], outside)
  expect(stdout).toMatch(new RegExp(`^ {2}empty variables +${name}: taken as not set$`, 'm'))
})

test("an empty secret of AWS's variables is said to be empty too", async () => {
  const { env } = await startService()
  const { SVC_AUTH_BASE_URL = '', SVC_AUTH_REGION = '' } = env
  const aws = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: '' }
  const outside = { env: { SVC_AUTH_BASE_URL, SVC_AUTH_REGION, ...aws } }
  const { stderr } = await runCommand(['fetch', '/V1/a'], outside)
  expect(stderr).toContain('(AWS_SECRET_ACCESS_KEY is empty)')
})

test('an empty half of the key pair of the proxy is said to be empty', async () => {
  const { env } = await startService()
  const pair = { SVC_AUTH_PROXY_ACCESS_KEY_ID: 'PLACEHOLDER', SVC_AUTH_PROXY_SECRET_ACCESS_KEY: '' }
  const { stderr } = await runCommand(['proxy', '--port', '0'], { env: { ...env, ...pair } })
  expect(stderr).toContain('(SVC_AUTH_PROXY_SECRET_ACCESS_KEY is empty)')
})

test('what is not set at all is not said to be empty', async () => {
  const { env } = await startService()
  const { SVC_AUTH_PASSWORD: _password, ...own } = env
  for (const argv of [['token'], ['doctor']]) {
    const { stdout, stderr } = await runCommand(argv, { env: own })
    expect(stdout + stderr).not.toContain('empty')
  }
})
