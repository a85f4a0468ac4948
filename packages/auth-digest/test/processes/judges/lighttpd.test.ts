import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authFetch } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import { describe, expect, test } from 'vitest'
import { isNightly } from '../../../../../tests/support/nightly.ts'
import { hasProgram } from '../../../../../tests/support/needs.ts'
import { freePort } from '../../../../../tests/support/redis-server.ts'
import { digestOf, parameterOf } from '../../support/challenges.ts'
import { startJudge } from '../../support/judge-server.ts'
import { reader } from '../../support/reference-server.ts'

const program = '/usr/sbin/lighttpd'

/** `.ci/run` installs it for the night alone. */
const hasLighttpd =
  isNightly &&
  hasProgram('lighttpd', [program, '-v'], 'apt-get install -y --no-install-recommends lighttpd')

const hashNames = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' } as const
type Algorithm = keyof typeof hashNames

/** Starts lighttpd with the user of the tests, and a file that only `reader` may read. */
async function startLighttpd(algorithms: readonly Algorithm[], userhash: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lighttpd-'))
  const port = await freePort()
  await mkdir(join(folder, 'files'))
  await writeFile(join(folder, 'files/file name.txt'), 'content')
  const realm = 'files of tests'
  const lines = algorithms.map((algorithm) => {
    const hash = (text: string): string =>
      createHash(hashNames[algorithm]).update(text).digest('hex')
    const name = `${reader.username}:${realm}`
    return `${name}:${hash(`${name}:${reader.password}`)}${userhash ? `:${hash(name)}` : ''}\n`
  })
  await writeFile(join(folder, 'users'), lines.join(''))
  const rule = {
    method: 'digest',
    realm,
    require: `user=${reader.username}`,
    algorithm: algorithms.join('|'),
    ...(userhash && { userhash: 'enable' }),
  }
  const entries = Object.entries(rule).map(([name, value]) => `"${name}" => "${value}"`)
  await writeFile(
    join(folder, 'lighttpd.conf'),
    [
      'server.modules = ("mod_auth", "mod_authn_file")',
      `server.document-root = "${folder}/files"`,
      'server.bind = "127.0.0.1"',
      `server.port = ${port}`,
      `server.errorlog = "${folder}/errors"`,
      'auth.backend = "htdigest"',
      `auth.backend.htdigest.userfile = "${folder}/users"`,
      `auth.require = ("/" => (${entries.join(', ')}))`,
    ].join('\n'),
  )
  return startJudge(program, ['-D', '-f', join(folder, 'lighttpd.conf')], { folder, port })
}

describe.runIf(hasLighttpd)('lighttpd', () => {
  test.each<[algorithms: Algorithm[], userhash: boolean]>([
    [['MD5'], false],
    [['SHA-256'], false],
    [['SHA-256'], true],
    [['SHA-512-256'], false],
    [['SHA-512-256'], true],
    [['MD5', 'SHA-256'], false],
  ])('accepts every answer of many callers with %j, userhash: %s', async (algorithms, userhash) => {
    const origin = await startLighttpd(algorithms, userhash)
    const sent: (string | null)[] = []
    const auth = digestOf({ baseUrl: origin, hashes: nobleHashes(), allowMd5: true })
    const send = authFetch(auth, {
      baseUrl: origin,
      fetch: async (input, init) => {
        sent.push(new Headers(init?.headers).get('authorization'))
        return fetch(input, init)
      },
    })
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => send('/file name.txt?a=b')),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await responses[0]?.text()).toBe('content')
    const [bare, first] = sent
    expect(bare).toBeNull()
    expect(sent).toHaveLength(51)
    expect(parameterOf(first, 'algorithm')).toBe(algorithms.at(-1))
    expect(parameterOf(first, 'userhash')).toBe(userhash ? 'true' : undefined)
  })

  test('refuses a wrong password', async () => {
    const origin = await startLighttpd(['SHA-256'], false)
    const credentials = { ...reader, password: 'wrong' }
    const send = authFetch(digestOf({ baseUrl: origin, credentials }))
    await expect(send(origin)).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
  })
})
