import { describe, expect, test } from 'vitest'
import { defaultApiKeys, type EmulatorOptions } from '@svc/emulator'
import { runCommandLine, startService } from '../support/run-command-line.ts'
import { type ProxyOptions, startTerseProxy } from '../support/servers.ts'

/** A cause that a server says nothing of, and the variant that finds it. */
interface Cause {
  readonly name: string
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly emulator?: EmulatorOptions
  readonly skewMs?: number
  readonly proxy?: ProxyOptions
  /** The path of the base URL. */
  readonly basePath?: string
  readonly finds: string
  /** The time of both clocks, in epoch milliseconds. */
  readonly now?: number
}

const key = defaultApiKeys[0]
const now = Date.UTC(2026, 0, 2, 3, 4, 5)

function setHeader(name: string, value: string): ProxyOptions {
  return {
    rewrite(passed) {
      passed.headers = passed.headers.map((header) => (header[0] === name ? [name, value] : header))
    },
  }
}

function rewriteTarget(rewrite: (target: string) => string): ProxyOptions {
  return { rewrite: (passed) => (passed.target = rewrite(passed.target)) }
}

const causes: readonly Cause[] = [
  {
    name: 'a secret in quotes',
    env: { SVC_AUTH_SECRET_ACCESS_KEY: `"${key.secretAccessKey}"` },
    finds: 'with the key trimmed of quotes and other marks around it',
  },
  {
    name: 'a clock that is behind',
    now,
    emulator: { clock: () => now },
    skewMs: 3_600_000,
    finds: 'with the clock 1 h later, as the service has it',
  },
  {
    name: 'another region, which a header names',
    emulator: { region: 'eu-west-1' },
    env: { SVC_AUTH_REGION: 'us-west-2' },
    proxy: { refusal: { 'x-amz-bucket-region': 'eu-west-1' } },
    finds: 'for the region eu-west-1',
  },
  {
    name: 'a clock that is behind, another region, and a Host without its port',
    now,
    emulator: { clock: () => now, region: 'eu-west-1' },
    env: { SVC_AUTH_REGION: 'us-west-2' },
    skewMs: 3_600_000,
    proxy: {
      ...setHeader('host', '127.0.0.1'),
      refusal: { 'x-amz-bucket-region': 'eu-west-1' },
    },
    finds:
      'with the clock 1 h later, as the service has it, and for the region eu-west-1, and signed for the Host 127.0.0.1',
  },
  {
    name: 'another region, which nothing names',
    env: { SVC_AUTH_REGION: 'us-west-2' },
    finds: 'for the region us-east-1',
  },
  {
    name: 'a proxy that takes the port off Host',
    proxy: setHeader('host', '127.0.0.1'),
    finds: 'signed for the Host 127.0.0.1',
  },
  {
    name: 'a proxy that writes another name into Host',
    proxy: setHeader('host', 'localhost'),
    finds: 'signed for the Host localhost',
  },
  {
    name: 'a proxy that takes a prefix off the path',
    basePath: '/api',
    proxy: rewriteTarget((target) => target.replace('/api', '')),
    finds: 'signed for the path without /api',
  },
  {
    name: 'a proxy that encodes the path again',
    argv: ['/V1/a b'],
    proxy: rewriteTarget((target) => target.replace('%20', '%2520')),
    finds: 'signed for the path encoded twice',
  },
  {
    name: 'a proxy that merges slashes',
    argv: ['/V1//a'],
    proxy: rewriteTarget((target) => target.replace('//', '/')),
    finds: 'signed for the path with repeated slashes as one',
  },
  {
    name: 'repeated parameters in the order of the URL',
    argv: ['/V1/a?x=2&x=1'],
    emulator: { repeatedParameters: 'wire-order' },
    finds: 'with repeated parameters signed in the order of the URL',
  },
]

test('repeated parameters are signed in the order that the configuration says', async () => {
  const { env, emulator } = await startService({ repeatedParameters: 'wire-order' })
  const path = '/V1/?prefix=b&prefix=a'
  const named = { ...env, SVC_AUTH_REPEATED_PARAMETERS: 'wire-order' }
  for (const line of [
    ['fetch', path],
    ['diagnose', path],
    ['sign', path],
  ]) {
    expect((await runCommandLine(line, { env: named })).exitCode).toBe(0)
    const flag = ['--repeated-parameters', 'wire-order']
    expect((await runCommandLine([...line, ...flag], { env })).exitCode).toBe(0)
  }
  expect(emulator.requests.map(({ auth }) => auth)).toEqual(
    emulator.requests.map(() => expect.objectContaining({ ok: true })),
  )
  const refused = await runCommandLine(['fetch', path], { env })
  expect(refused.exitCode).toBe(1)
  const wrong = { ...env, SVC_AUTH_REPEATED_PARAMETERS: 'sorted' }
  expect((await runCommandLine(['fetch', path], { env: wrong })).stderr).toBe(
    'svc-auth: SVC_AUTH_REPEATED_PARAMETERS: repeated parameters are signed by-value or in wire-order\n',
  )
})

describe('against a server that says nothing but 403, --probe finds', () => {
  test.each(causes)('$name', async ({ argv = ['/V1/a'], finds, ...cause }) => {
    const { emulator, env, url } = await startService(cause.emulator)
    const { skewMs, basePath = '' } = cause
    if (skewMs !== undefined) emulator.fault({ skewMs })
    const { baseUrl } = await startTerseProxy(url, cause.proxy)
    const { exitCode, stdout, stderr } = await runCommandLine(
      ['diagnose', '--probe', '--json', ...argv],
      {
        env: { ...env, ...cause.env, SVC_AUTH_BASE_URL: `${baseUrl}${basePath}` },
        ...(cause.now !== undefined && { now: cause.now }),
      },
    )
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    const { probe } = JSON.parse(stdout)
    expect(probe.accepted?.name).toBe(finds)
    expect(probe.accepted?.remedy).not.toContain('No flag does it')
    expect(probe.attempts.length).toBeLessThanOrEqual(12)
    expect(emulator.requests).toHaveLength(probe.attempts.length)
    const shown = stdout.replaceAll(key.accessKeyId, '')
    expect(shown).not.toContain(key.secretAccessKey)
  })
})

test('where nothing is accepted, it says what was tried, and sends no more than 12 requests', async () => {
  const { emulator, env, url } = await startService({
    apiKeys: [{ accessKeyId: 'AKID', secretAccessKey: 'not-a-secret' }],
  })
  const { baseUrl } = await startTerseProxy(url, {
    refusal: { 'x-amz-bucket-region': 'us-west-2' },
  })
  emulator.fault({ skewMs: 3_600_000 })
  const { exitCode, stdout } = await runCommandLine(
    ['diagnose', '--probe', '/V1//a b%2Bc?x=2&x=1&y=+&z', '--region', 'eu-west-1'],
    {
      env: { ...env, SVC_AUTH_BASE_URL: `${baseUrl}/V1`, SVC_AUTH_SECRET_ACCESS_KEY: '"other%2F,' },
    },
  )
  expect(exitCode).toBe(1)
  expect(stdout).toContain('Probe: 12 requests\n  403  as it is configured\n')
  expect(stdout).toContain('\nNone of these was accepted.')
  expect(stdout).not.toContain('Not tried')
  expect(emulator.requests).toHaveLength(12)
})

test.each([429, 503])('a %s ends the probe at once', async (status) => {
  const { emulator, env, url } = await startService()
  const { baseUrl } = await startTerseProxy(url)
  emulator.fault({ status: 403, times: 2 })
  emulator.fault({ status, times: 1 })
  const { stdout } = await runCommandLine(['diagnose', '--probe', '/V1/a', '--base-url', baseUrl], {
    env,
  })
  expect(emulator.requests.map((request) => request.status)).toEqual([403, 403, status])
  expect(stdout).toMatch(/\nNot tried: /)
})

test('a reason that the service gives is not probed for', async () => {
  const { emulator, env } = await startService()
  emulator.fault({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' })
  const { exitCode, stdout } = await runCommandLine(['diagnose', '--probe', '/V1/a'], { env })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('403 AccessDenied: ')
  expect(emulator.requests).toHaveLength(1)
})

test('a line that the service quotes is not probed for', async () => {
  const { emulator, env } = await startService()
  const wrong = { ...env, SVC_AUTH_SECRET_ACCESS_KEY: '"another-secret"' }
  const { stdout } = await runCommandLine(['diagnose', '--probe', '/V1/a'], { env: wrong })
  expect(stdout).toContain(
    'Look at the key: the secret access key has quotes or other marks around it.',
  )
  expect(stdout).not.toContain('Probe:')
  expect(emulator.requests).toHaveLength(1)
})

test('a probe sends HEAD where it was asked to, and no other method', async () => {
  const { emulator, env, url } = await startService()
  const { baseUrl } = await startTerseProxy(url, setHeader('host', 'localhost'))
  const line = ['diagnose', '--probe', '-X', 'HEAD', '/V1/a', '--base-url', baseUrl]
  const { stdout } = await runCommandLine(line, { env })
  expect(stdout).toContain('signed for the Host localhost')
  expect(new Set(emulator.requests.map(({ method }) => method))).toEqual(new Set(['HEAD']))
})
