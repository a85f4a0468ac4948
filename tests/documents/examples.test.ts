import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyMessageSignature } from '../../examples/stand-ins/message-signature-verifier.ts'
import { verifyOAuth1 } from '../../examples/stand-ins/oauth1-verifier.ts'
import { isNightly } from '../support/nightly.ts'
import { freePort, hasRedisServer, startRedis } from '../support/redis-server.ts'
import { type Finished, run } from '../support/run-program.ts'

const root = join(import.meta.dirname, '../..')
const groups = /^200 \[\{"id":"group-0001","name":"Everything",.+\}\]$/

/** Two routes and a page at once, and then a route while nobody can log in. */
const visits = [
  groups,
  '200 {"count":2}',
  /^200 .*<p>2(?:<!-- -->)? groups<\/p>/,
  '1 login',
  '503 {"code":"ERR_AUTH_LOGIN_REFUSED"}',
]

/** The output of each example, line by line: a text is that line, a pattern has to fit. */
const examples: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'cloudflare-worker/run.ts': [groups, groups, '1 login', '503 {"code":"ERR_AUTH_LOGIN_REFUSED"}'],
  'credentials-from-environment.ts': ['200 a;b;c'],
  'credentials-from-profile.ts': ['200 AssumeRole'],
  'credentials-from-web-identity.ts': ['30 AssumeRoleWithWebIdentity'],
  'express-server.ts': visits,
  'fastify-server.ts': visits,
  'fetch-through-proxy.ts': ['200 through the proxy'],
  'fetch-with-client-certificate.ts': ['200 with a certificate', 'fetch failed without one'],
  'groups-with-schema.ts': [
    'Everything: *',
    'Reports: GetObject, ListObjects',
    'refused: Invalid type: Expected string but received 7',
  ],
  'hono-server.ts': visits,
  'lambda-function.ts': visits,
  // The page is a stream of two lines.
  'message-signatures.ts': [
    '200 "@method" "@target-uri"',
    '200 "@method" "@target-uri" "content-digest"',
  ],
  'nextjs/run.ts': [
    ...visits.slice(0, 3),
    /^\$RC=/,
    '1 login',
    '503 the service is not available',
    // An upload with its length and one without; a list that is read once for two visits; a link.
    'upload 201',
    'upload 411',
    '<Size>3 <Size>3 1',
    'link a;b',
    // The login form while the service is down, with a wrong password and with the right one.
    'The service is not available: try again later.',
    /^Wrong name or password\. The same ones are tried again in (?:29|30) s\.$/,
    '/my-groups',
    '200 Reports of Ann',
    // Signed out, and in again.
    '/login',
    '401 http-equiv="refresh" content="1;url=/login"',
    '/my-groups',
    '1 login',
    // With a password that was changed at the service.
    '401 http-equiv="refresh" content="1;url=/login"',
    /^\[@svc\/auth-token\] POST .+ returned status 503: try again later$/,
  ],
  'mcp-parallel-calls.ts': [
    // The one whose refresh was the first may be faster than the next one.
    /^its own OAuth: [01] of 10 succeed, (?:[5-9]|10) ask to sign in, the sign-in was ended$/,
    'authMcp: 10 of 10 succeed, 0 ask to sign in, the sign-in goes on',
  ],
  'oauth1.ts': [
    '200 size=original, file=a b+c.jpg, size=é',
    '200 z=größer & 1+1, a=größer & 1+1, z=größer & 1+1',
    '200',
  ],
  'presigned-link.ts': ['expires in 600 s', '200 month;sum', '403 403', '200'],
  'refused-signature.ts': [
    'PUT',
    '/V1/report.csv',
    '',
    'content-type:text/csv',
    /^host:127\.0\.0\.1:\d+$/,
    /^x-amz-content-sha256:[\da-f]{64}$/,
    /^x-amz-date:\d{8}T\d{6}Z$/,
    '',
    'content-type;host;x-amz-content-sha256;x-amz-date',
    /^[\da-f]{64}$/,
    '',
    'signed: content-type;host;x-amz-content-sha256;x-amz-date',
    '',
    'canonical-request',
    '403 SignatureDoesNotMatch: The server computed a different canonical request.',
    '',
    'header content-type',
    '  ours:   text/csv',
    '  theirs: text/csv; charset=utf-8',
    /^ {2}The parameters of content-type/,
    '',
    /^The signature that arrived is the one computed here/,
    /^The server says: The request signature we calculated does not match/,
  ],
  'route-of-your-own.ts': [
    '3 new objects',
    '/reports/today: 401, key-of-yesterday',
    '/reports/today: 200, key-of-today',
    '/user/login: 200, no report key',
    '/user/groups: 200, no report key',
    '/V1/: 200, no report key',
  ],
  'several-accounts.ts': [
    '/sign-in ann 200 signed in',
    '/sign-in bob 200 signed in',
    '/sign-in ann 401 ',
    /^\/groups ann 200 .*"Reports"/,
    /^\/groups bob 200 .*"Archive"/,
    '/groups ann 401 ',
    /^\/groups ann 200 .*"Reports"/,
    /^\/groups bob 200 .*"Archive"/,
    '/groups ann 401 ',
    '4 logins',
  ],
  'shared-token-redis.ts': [
    'first: login.ok',
    'first: 200',
    'second: token.adopted',
    'second: 200',
    '1 login',
  ],
  'subaccount-login.ts': [
    '200, the session is valid',
    /^ERR_AUTH_LOGIN_REFUSED, 401, next login in (29|30) s at the earliest$/,
  ],
  'testing-your-code.test.ts': [
    /^✔ the groups are counted/,
    /^✔ a revoked token goes unnoticed/,
    /^✔ a day later there is one more login/,
    /^✔ a service that is down is told by its status/,
    'ℹ tests 4',
    'ℹ suites 0',
    'ℹ pass 4',
    'ℹ fail 0',
    'ℹ cancelled 0',
    'ℹ skipped 0',
    'ℹ todo 0',
    /^ℹ duration_ms/,
  ],
  'upload-download-progress.ts': [
    'up 25 %',
    'up 50 %',
    'up 75 %',
    'up 100 %',
    'down 25 %',
    'down 50 %',
    'down 75 %',
    'down 100 %',
    'read: 4194304 bytes',
  ],
}

const scripts = globSync(['*.ts', '*/run.ts'], { cwd: join(root, 'examples') })
const readme = readFileSync(join(root, 'examples/README.md'), 'utf8')

const manifest = readFileSync(join(root, 'package.json'), 'utf8')
const [, flags = ''] = /"example": "node (.+?)"/.exec(manifest) ?? []

test('every example has its output here, and no other', () => {
  expect(Object.keys(examples).sort()).toEqual(scripts.sort())
})

test('everything else that is there stands in the README too', () => {
  const isOther = /^(?:\..*|README\.md|node_modules|package\.json|tsconfig\.json)$/
  const names = readdirSync(join(root, 'examples')).filter((name) => !isOther.test(name))
  expect(names.filter((name) => !readme.includes(`](${name})`))).toEqual([])
})

test.each(scripts)('%s stands in the README with the command that runs it', (file) => {
  // The command stands there once, and is the same for every file of the table.
  expect(readme).toContain('npx --yes pnpm@12.21.0 example examples/')
  expect(readme).toContain(`[${file}](${file.replace('/run.ts', '')})`)
})

test.each(
  globSync(['*.ts', '{cloudflare-worker,lib,nextjs,stand-ins}/**/*.{ts,tsx}'], {
    cwd: join(root, 'examples'),
    exclude: ['nextjs/.next', 'nextjs/next-env.d.ts'],
  }),
)('%s is read at a glance', (file) => {
  const text = readFileSync(join(root, 'examples', file), 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
})

describe('a service of the examples that verifies signatures', () => {
  test('takes the request of RFC 5849, section 1.2, and no other', () => {
    const authorization =
      'OAuth realm="Photos", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="nnch734d00sl2jdk", ' +
      'oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_nonce="chapoH", ' +
      'oauth_signature="MdpQcU8iPSUjWoN%2FUDMsK2sui9I%3D"'
    const verify = (query: string): string =>
      verifyOAuth1(
        {
          method: 'GET',
          url: new URL(`http://photos.example.net/photos?${query}`),
          headers: { authorization },
          body: new Uint8Array(),
        },
        { key: 'dpf43f3p2l4k3l03', secret: 'kd94hf93k423kf44' },
        { key: 'nnch734d00sl2jdk', secret: 'pfkkdhi9sl3r4s00' },
      )
    expect(verify('file=vacation.jpg&size=original')).toBe('file=vacation.jpg, size=original')
    expect(() => verify('file=vacation.jpg&size=other')).toThrow('signature')
  })

  test('takes the signature of RFC 9421, appendix B.2.6, and no other', () => {
    const publicKey = Buffer.from('JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=', 'base64')
    const verify = (path: string): string =>
      verifyMessageSignature(
        {
          method: 'POST',
          url: new URL(path, 'https://example.com'),
          headers: {
            date: 'Tue, 20 Apr 2021 02:07:55 GMT',
            'content-type': 'application/json',
            'content-length': '18',
            'signature-input':
              'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length")' +
              ';created=1618884473;keyid="test-key-ed25519"',
            signature:
              'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
          },
          // Those of the RFC have a hash with SHA-512, which is not part of this signature.
          body: new Uint8Array(),
        },
        publicKey,
      )
    expect(verify('/foo?param=Value&Pet=dog')).toContain('"@authority" "content-type"')
    expect(() => verify('/other')).toThrow('signature')
  })
})

/** Next.js builds for half a minute, other servers do what Express does, and some wait for a process or a timer. */
const byNight = new Set([
  'fastify-server.ts',
  'fetch-through-proxy.ts',
  'fetch-with-client-certificate.ts',
  'hono-server.ts',
  'lambda-function.ts',
  'nextjs/run.ts',
  'upload-download-progress.ts',
])
const tried = Object.entries(examples).filter(([file]) => isNightly || !byNight.has(file))
for (const [file, lines] of tried) {
  const needsRedis = readFileSync(join(root, 'examples', file), 'utf8').includes('REDIS_URL')
  const isSkipped = needsRedis && !hasRedisServer()
  // A build takes its time on a machine that is busy.
  test.skipIf(isSkipped)(`${file} runs`, { timeout: 180_000 }, async () => {
    const redis = needsRedis ? await startRedis() : undefined
    try {
      const environment = { NO_COLOR: '1', ...(redis && { REDIS_URL: redis.url }) }
      const { status, stdout, stderr } = await runExample(file, environment)
      expect(stderr).toBe('')
      const printed = stdout.trimEnd().split('\n')
      const expected = lines.map((line, index) => {
        const actual = printed[index] ?? ''
        return line instanceof RegExp && line.test(actual) ? actual : line
      })
      expect(printed).toEqual(expected)
      expect(status).toBe(0)
    } finally {
      await redis?.stop()
    }
  })
}

test('nextjs compiles as an application of its own', async () => {
  const project = ['-p', join(root, 'examples/nextjs'), '--noEmit']
  // Its types come from the sources, where the packages are not built.
  const fromSource = ['--customConditions', '@svc/source', '--allowImportingTsExtensions']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, ...project, ...fromSource])
  expect(stdout.split('\n').filter((line) => line.includes('examples/nextjs/'))).toEqual([])
})

/** Everything of the application that is neither its configuration nor there for the visits alone. */
const shown = globSync('{app,lib}/**/*.{ts,tsx}', {
  cwd: join(root, 'examples/nextjs'),
  exclude: ['app/layout.tsx', 'app/api/{cached-reports,groups/count,reports}/route.ts'],
})
const guide = readFileSync(join(root, 'docs/guides/nextjs.md'), 'utf8')

test.each(shown)('the guide to Next.js shows %s as it is, below its name', (file) => {
  const code = readFileSync(join(root, 'examples/nextjs', file), 'utf8')
  const [above, below] = guide.split(`\`\`\`tsx\n${code}\`\`\`\n`)
  expect(below).toBeDefined()
  expect(above?.trimEnd().split('\n\n').at(-1)).toContain(`\`${file}\``)
})

test('the guide to Next.js says how to install what its code imports', () => {
  const installed = [...guide.matchAll(/npm install (.+)/g)].flatMap(([, words = '']) =>
    words.split(' '),
  )
  const imported = [...guide.matchAll(/(?:from|import|mock\() ?'((?:@svc\/)?[\w-]+)/g)]
  // The generator brings these.
  const known = new Set([...installed, 'next', 'react'])
  expect(imported.map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([])
  expect(imported.length).toBeGreaterThan(20)
})

test.runIf(isNightly)('the test in the guide to Next.js passes', async () => {
  // With the built packages, and without a configuration, as in a generated application.
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const project = ['--root', join(root, 'examples/nextjs')]
  const { status, stdout } = await run(process.execPath, [vitest, 'run', ...project])
  expect(stdout).toContain('1 passed')
  expect(status).toBe(0)
})

test.runIf(isNightly)(
  'shared-token-redis.ts says in one line that there is no Redis, and ends',
  async () => {
    const port = await freePort()
    const environment = { REDIS_URL: `redis://:not-to-be-shown@127.0.0.1:${port}` }
    expect(await runExample('shared-token-redis.ts', environment)).toEqual({
      status: 1,
      stdout: '',
      stderr: `Redis: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    })
  },
)

test.runIf(isNightly)(
  'shared-token-redis.ts shows no password of an address that is wrong',
  async () => {
    const environment = { REDIS_URL: 'redis://:not#to-be-shown@127.0.0.1' }
    const { status, stdout, stderr } = await runExample('shared-token-redis.ts', environment)
    expect(stdout + stderr).not.toContain('to-be-shown')
    expect(stderr).toContain('REDIS_URL')
    expect(status).toBe(1)
  },
)

/** As the command `example` of the README does. */
function runExample(file: string, environment: Record<string, string>): Promise<Finished> {
  const command = [...flags.split(' '), join(root, 'examples', file)]
  return run(process.execPath, command, '', environment)
}
