import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { verifySigV4 } from '@svc/emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { makeTlsCertificate } from '../../../../tests/support/tls-certificate.ts'
import { emptyFolder } from '../support/folder.ts'
import { runProcess } from '../support/run-process.ts'
import { startProgram } from '../support/start-program.ts'
import { isDirect } from '../testing.ts'

const queue = 'https://sqs.eu-west-1.amazonaws.com/'
const roleArn = 'arn:aws:iam::000000000000:role/reader'
const files = {
  app: '[profile app]\naws_access_key_id = AKIDAPP\naws_secret_access_key = secret-of-app\n',
  role: `[profile role]\nrole_arn = ${roleArn}\nsource_profile = app\nregion = eu-west-1\n`,
  machine: `[profile machine]\nrole_arn = ${roleArn}\ncredential_source = Ec2InstanceMetadata\n`,
}

/** Returns a user with the files of AWS's own tools, and what runs the command for this user. */
async function startUser(config: string | Uint8Array = Object.values(files).join('')) {
  const home = await emptyFolder()
  await mkdir(join(home, '.aws'))
  await writeFile(join(home, '.aws/config'), config)
  const line = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runProcess(argv, { home, env })
  return { home, line }
}

interface Arrived {
  readonly host: string
  readonly signer: string
  readonly isVerified: boolean
}

const keys = [
  { accessKeyId: 'AKIDAPP', secretAccessKey: 'secret-of-app' },
  { accessKeyId: 'ASIAROLE', secretAccessKey: 'secret-of-role', sessionToken: 'token-of-role' },
  { accessKeyId: 'ASIAMACHINE', secretAccessKey: 'secret-of-machine', sessionToken: 'token' },
]

/** Starts a proxy whose tunnels all lead to a server that stands in for AWS. */
async function startAws() {
  const hosts = ['sts.eu-west-1.amazonaws.com', 'sqs.eu-west-1.amazonaws.com']
  const { key, cert } = await makeTlsCertificate(hosts)
  const arrived: Arrived[] = []
  const aws = createServer({ key, cert }, async (request, response) => {
    const { headers, method = '', url = '', rawHeaders: list } = request
    const body = new Uint8Array(Buffer.concat(await request.toArray()))
    const rawHeaders = list.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, list[index + 1] ?? '']] : [],
    )
    const [service = ''] = String(headers.host).split('.')
    const { ok } = await verifySigV4(
      { method, target: url, rawHeaders, body },
      { apiKeys: keys, region: 'eu-west-1', service },
    )
    const signer = /Credential=(\w+)/.exec(String(headers.authorization))?.[1] ?? ''
    arrived.push({ host: String(headers.host), signer, isVerified: ok })
    const end = new Date(Date.now() + 3_600_000).toISOString()
    if (service !== 'sts') response.end('here you are\n')
    else
      response.end(
        '<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>secret-of-role</SecretAccessKey>' +
          `<SessionToken>token-of-role</SessionToken><Expiration>${end}</Expiration>`,
      )
  })
  const tunnels: string[] = []
  const proxied: string[] = []
  const proxy = createHttpServer((request, response) => {
    proxied.push(request.url ?? '')
    response.writeHead(500).end()
  })
  const inner = await listenOnLoopback(aws)
  proxy.on('connect', ({ url = '' }, client) => {
    tunnels.push(url)
    const service = connect(Number(inner.url.port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      service.pipe(client).pipe(service)
    })
    for (const socket of [service, client]) socket.on('error', () => service.destroy())
  })
  const outer = await listenOnLoopback(proxy)
  onTestFinished(async () => {
    await outer.close()
    await inner.close()
  })
  const ca = join(await emptyFolder(), 'ca.pem')
  await writeFile(ca, cert)
  const { origin } = outer.url
  const env = { HTTPS_PROXY: origin, HTTP_PROXY: origin, NO_PROXY: '', NODE_EXTRA_CA_CERTS: ca }
  return { arrived, tunnels, proxied, env }
}

describe('a profile of AWS', () => {
  test.each<[how: string, argv: readonly string[], env: Record<string, string>]>([
    ['AWS_PROFILE', ['sign', queue], { AWS_PROFILE: 'app' }],
    ['the flag', ['sign', queue, '--aws-profile', 'app'], {}],
    ['the flag before AWS_PROFILE', ['sign', queue, '--aws-profile', 'app'], { AWS_PROFILE: 'no' }],
    ['a base URL', ['sign', '/', '--base-url', queue], { AWS_PROFILE: 'app' }],
    ['SVC_AUTH_BASE_URL', ['sign', '/'], { AWS_PROFILE: 'app', SVC_AUTH_BASE_URL: queue }],
    [
      'another base URL that is configured',
      ['sign', queue],
      { AWS_PROFILE: 'app', SVC_AUTH_BASE_URL: 'https://search.example.com' },
    ],
    [
      'a key of the environment that the flag goes before',
      ['sign', queue, '--aws-profile', 'app'],
      { AWS_ACCESS_KEY_ID: 'OTHER', AWS_SECRET_ACCESS_KEY: 'x', SVC_AUTH_ACCESS_KEY_ID: 'MORE' },
    ],
    [
      'a region that is not that of the host',
      ['sign', queue, '--region', 'us-east-1'],
      { AWS_PROFILE: 'app' },
    ],
  ])('signs for the service and the region of the host: by %s', async (_how, argv, env) => {
    const { line } = await startUser()
    const { stdout, stderr, status } = await line(argv, env)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/Credential=AKIDAPP\/\d{8}\/eu-west-1\/sqs\/aws4_request,/)
    expect(stdout).not.toContain('secret')
  })

  test('presigns and explains, below /user too', async () => {
    const { line } = await startUser()
    const object = 'https://examplebucket.s3.eu-central-1.amazonaws.com/user/report.csv'
    const env = { AWS_PROFILE: 'app' }
    const link = new URL((await line(['presign', object], env)).stdout.trim())
    expect(link.searchParams.get('X-Amz-Credential')).toMatch(
      /^AKIDAPP\/\d{8}\/eu-central-1\/s3\/aws4_request$/,
    )
    expect((await line(['explain', object], env)).stdout).toContain('/eu-central-1/s3/aws4_request')
    expect((await line(['sign', object], env)).stdout).toContain('/eu-central-1/s3/aws4_request')
  })

  test('of a role sends: STS and the service are reached by the proxy of the environment', async () => {
    const { line } = await startUser()
    const { arrived, tunnels, env } = await startAws()
    const outcome = await line(['fetch', queue], { ...env, AWS_PROFILE: 'role' })
    expect(outcome).toMatchObject({ status: 0, stderr: '', stdout: 'here you are\n' })
    expect(arrived).toEqual([
      { host: 'sts.eu-west-1.amazonaws.com', signer: 'AKIDAPP', isVerified: true },
      { host: 'sqs.eu-west-1.amazonaws.com', signer: 'ASIAROLE', isVerified: true },
    ])
    expect(tunnels).toEqual(['sts.eu-west-1.amazonaws.com:443', 'sqs.eu-west-1.amazonaws.com:443'])
  })

  test('signs what the proxy of the command forwards', async () => {
    const { home } = await startUser()
    const { arrived, env } = await startAws()
    const argv = ['proxy', '--port', '0', '--base-url', queue, '--aws-profile', 'role']
    const proxy = await startProgram(argv, {
      ...env,
      HOME: home,
      SVC_AUTH_PROXY_SECRET: 'local-secret-of-32-characters-00',
    })
    const [chunk] = await proxy.child.stdout.take(1).toArray()
    const url = /http:\S+/.exec(String(chunk))?.[0] ?? ''
    const headers = { 'x-svc-proxy-secret': 'local-secret-of-32-characters-00' }
    expect(await (await fetch(`${url}/?Action=ListQueues`, { headers })).text()).toBe(
      'here you are\n',
    )
    expect(arrived.map(({ signer, isVerified }) => [signer, isVerified])).toEqual([
      ['AKIDAPP', true],
      ['ASIAROLE', true],
    ])
    const put = { method: 'PUT', body: 'text', headers }
    expect((await fetch(`${url}/user/x`, put)).status).toBe(200)
    expect(arrived.at(-1)).toMatchObject({ signer: 'ASIAROLE', isVerified: true })
    proxy.child.kill('SIGTERM')
    await proxy.ended
  })

  test('asks the machine only if it says so, and not by the proxy', async () => {
    const asked: string[] = []
    const metadata = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      const Expiration = new Date(Date.now() + 3_600_000).toISOString()
      const key = {
        AccessKeyId: 'ASIAMACHINE',
        SecretAccessKey: 'secret-of-machine',
        Token: 'token',
        Expiration,
      }
      const body = request.url?.endsWith('/reader') ? JSON.stringify(key) : 'reader'
      response.end(body)
    })
    const { url, close } = await listenOnLoopback(metadata)
    onTestFinished(close)
    const { line } = await startUser()
    const { arrived, proxied, env } = await startAws()
    const machine = {
      ...env,
      AWS_REGION: 'eu-west-1',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: url.origin,
    }
    await line(['fetch', queue], { ...machine, AWS_PROFILE: 'app' })
    await line(['fetch', queue], { ...machine, AWS_PROFILE: 'none' })
    expect(asked).toEqual([])
    await line(['fetch', queue], { ...machine, AWS_PROFILE: 'machine' })
    expect(asked).toHaveLength(3)
    expect(proxied).toEqual([])
    expect(arrived.map(({ signer }) => signer)).toEqual(['AKIDAPP', 'ASIAMACHINE', 'ASIAROLE'])
  })

  test('that a flag names gives the key for another server, such as one of one’s own', async () => {
    const { line } = await startUser()
    const argv = [
      'presign',
      '/b/x',
      '--aws-profile',
      'role',
      '--base-url',
      'https://minio.example.com',
    ]
    expect((await line(argv, { AWS_EC2_METADATA_DISABLED: 'true' })).stderr).toMatch(
      /^svc-auth: the AWS profile role gives no key: STS cannot be reached/,
    )
    const { stdout } = await line(
      argv.map((word) => (word === 'role' ? 'app' : word)),
      { AWS_REGION: 'eu-west-3' },
    )
    expect(stdout).toMatch(
      /^https:\/\/minio\.example\.com\/b\/x\?.*AKIDAPP%2F\d{8}%2Feu-west-3%2Fs3%2F/,
    )
  })

  test('gives way to a key that is configured, and the host still names service and region', async () => {
    const { line } = await startUser('\0 broken: it is not read')
    const own = { SVC_AUTH_ACCESS_KEY_ID: 'AKIDOWN', SVC_AUTH_SECRET_ACCESS_KEY: 'x' }
    const { stdout, stderr } = await line(['sign', queue], { AWS_PROFILE: 'app', ...own })
    expect(stderr).toBe('')
    expect(stdout).toMatch(/Credential=AKIDOWN\/\d{8}\/eu-west-1\/sqs\/aws4_request,/)
  })
})

test.skipIf(process.platform === 'win32')(
  'a command that is asked to end does not wait for the program of a profile',
  async () => {
    const { home } = await startUser()
    const marker = join(home, 'started')
    const slow = `[profile slow]\ncredential_process = sh -c "touch ${marker}; exec sleep 1000"\n`
    await writeFile(join(home, '.aws/config'), slow)
    const argv = ['presign', queue, '--aws-profile', 'slow']
    const { child, ended } = await startProgram(argv, { HOME: home })
    await expect.poll(() => existsSync(marker)).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ status: 143 })
  },
)

test.each<[url: string, isWithoutProxy: boolean]>([
  ['http://169.254.169.254/latest/api/token', true],
  ['http://169.254.170.2/v2/credentials', true],
  ['http://[fd00:ec2::254]/', true],
  ['http://[fd00:ec2::23]/', true],
  ['http://localhost:1234/', true],
  ['http://169.254.169.254.evil.example/', false],
  ['https://sts.eu-west-1.amazonaws.com/', false],
  ['http://[fd00::1]/', false],
])('%s is reached without the proxy of the environment: %s', (url, isWithoutProxy) => {
  expect(isDirect(new URL(url))).toBe(isWithoutProxy)
})

describe('without a profile of AWS, or for another service', () => {
  test.each<[what: string, argv: readonly string[], env: Record<string, string>, stderr: RegExp]>([
    ['AWS_PROFILE is not set', ['sign', queue], {}, /^svc-auth: no base URL/],
    ['AWS_PROFILE is empty', ['sign', queue], { AWS_PROFILE: '' }, /^svc-auth: no base URL/],
    [
      'the base URL is none of AWS',
      ['presign', '/x', '--base-url', 'https://search.example.com'],
      { AWS_PROFILE: 'app' },
      /^svc-auth: no API key/,
    ],
    [
      'the base URL only looks like AWS',
      ['presign', 'https://sqs.eu-west-1.amazonaws.com.evil.example/'],
      { AWS_PROFILE: 'app' },
      /^svc-auth: no base URL/,
    ],
    [
      'the URL is http',
      [
        'presign',
        '/x',
        '--base-url',
        'http://sqs.eu-west-1.amazonaws.com/',
        '--allow-insecure-http',
      ],
      { AWS_PROFILE: 'app' },
      /^svc-auth: no API key/,
    ],
    [
      'the URL is not below the base URL of a flag',
      ['sign', queue, '--base-url', 'https://search.example.com'],
      { AWS_PROFILE: 'app' },
      /is not below the base URL/,
    ],
    [
      'the URL is not below the base URL on its host',
      ['sign', `${queue}456/`],
      { AWS_PROFILE: 'app', SVC_AUTH_BASE_URL: `${queue}123/`, SVC_AUTH_ACCESS_KEY_ID: 'A' },
      /is not below the base URL/,
    ],
  ])('no file of AWS is read and nothing changes: %s', async (_what, argv, env, expected) => {
    // Whoever reads it fails, and says so.
    const { line } = await startUser(new Uint8Array([0, 1, 2]))
    const { stderr, status, stdout } = await line(argv, env)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(expected)
    expect(stderr).not.toContain('UTF-8')
  })
})

describe('what is wrong is told', () => {
  test.each<[argv: readonly string[], env: Record<string, string>, stderr: string]>([
    [
      ['sign', queue, '--aws-profile', 'a', '--access-key-id', 'b'],
      {},
      '--aws-profile and --access-key-id both name the key; give one of them',
    ],
    [['sign', queue, '--aws-profile='], {}, '--aws-profile must not be empty'],
    [
      ['fetch', queue, '--aws-profile', 'nobody'],
      {},
      'the AWS profile nobody gives no key: neither the config file nor the credentials file has it',
    ],
    [
      ['presign', queue],
      { AWS_PROFILE: 'app', SVC_AUTH_ACCESS_KEY_ID: 'AKIDOWN' },
      'no secret of the access key AKIDOWN (from SVC_AUTH_ACCESS_KEY_ID): set SVC_AUTH_SECRET_ACCESS_KEY, or give the profile a credential_process; ' +
        'AWS_PROFILE is not used, since SVC_AUTH_ACCESS_KEY_ID names a key',
    ],
  ])('%j with %j', async (argv, env, stderr) => {
    const { line } = await startUser()
    expect(await line(argv, env)).toMatchObject({ status: 2, stderr: `svc-auth: ${stderr}\n` })
  })

  test('doctor names the profile, and sends nothing for its key unless it may', async () => {
    const { line } = await startUser()
    const { tunnels, env } = await startAws()
    const doctor = async (profile: string, base: string, ...flags: readonly string[]) =>
      line(['doctor', '--base-url', base, ...flags], { ...env, AWS_PROFILE: profile })
    const offline = await doctor('role', queue)
    expect(offline).toMatchObject({ status: 0, stderr: '' })
    expect(offline.stdout).toMatch(/AWS profile +role \(from AWS_PROFILE\); signs for sqs\n/)
    expect(offline.stdout).toMatch(
      /region +eu-west-1 \(from the host sqs\.eu-west-1\.amazonaws\.com\)\n/,
    )
    expect(offline.stdout).toMatch(
      /secret of the key +from .* role, whose key a service of AWS has: --online asks it\n/,
    )
    expect(tunnels).toEqual([])
    const online = await doctor('role', queue, '--online')
    expect(online.stdout).toMatch(/secret of the key +from the AWS profile role\n/)
    expect(tunnels).toContain('sts.eu-west-1.amazonaws.com:443')
    const missing = await doctor('nobody', queue)
    expect(missing.status).toBe(2)
    expect(missing.stdout).toMatch(
      /! secret of the key +the AWS profile nobody gives no key: neither/,
    )
    const elsewhere = await doctor('role', 'https://search.example.com')
    expect(elsewhere.stdout).toMatch(
      /AWS profile +role \(from AWS_PROFILE\), not used: https:\/\/search\.example\.com is none of AWS\n/,
    )
    const { stdout } = await line(['doctor'], { AWS_PROFILE: 'role' })
    expect(stdout).toMatch(/AWS profile +role \(from AWS_PROFILE\), for a whole URL of AWS\n/)
    expect(offline.stdout + online.stdout).not.toMatch(/secret-of|token-of/)
  })
})
