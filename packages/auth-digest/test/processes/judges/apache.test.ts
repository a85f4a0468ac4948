import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { authFetch } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import { describe, expect, test } from 'vitest'
import { isNightly } from '../../../../../tests/support/nightly.ts'
import { hasProgram } from '../../../../../tests/support/needs.ts'
import { freePort } from '../../../../../tests/support/redis-server.ts'
import { digestOf } from '../../support/challenges.ts'
import { startJudge } from '../../support/judge-server.ts'
import { reader } from '../../support/reference-server.ts'

const program = '/usr/sbin/apache2'
const modules = '/usr/lib/apache2/modules'
const parts = [
  'mpm_event',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_user',
  'auth_digest',
  'dir',
]

/** `.ci/run` installs it for the night alone. */
const hasApache =
  isNightly &&
  hasProgram('Apache', [program, '-v'], 'apt-get install -y --no-install-recommends apache2-bin')

/** Starts Apache with the user of the tests, for a folder that `reader` may read and one that nobody may. */
async function startApache(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'apache-'))
  const port = await freePort()
  for (const name of ['open', 'closed']) {
    await mkdir(join(folder, 'files', name), { recursive: true })
    await writeFile(join(folder, 'files', name, 'file name.txt'), 'content')
  }
  const realm = 'files of tests'
  const key = createHash('md5')
    .update(`${reader.username}:${realm}:${reader.password}`)
    .digest('hex')
  await writeFile(join(folder, 'users'), `${reader.username}:${realm}:${key}\n`)
  const digest = `AuthType Digest\nAuthName "${realm}"\nAuthDigestProvider file\nAuthUserFile ${folder}/users`
  await writeFile(
    join(folder, 'httpd.conf'),
    [
      `ServerRoot ${folder}`,
      'ServerName 127.0.0.1',
      `Listen 127.0.0.1:${port}`,
      `PidFile ${folder}/pid`,
      `ErrorLog ${folder}/errors`,
      ...parts.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
      `DocumentRoot ${folder}/files`,
      `<Directory ${folder}/files>\n${digest}\nAuthDigestNonceLifetime 1\nRequire user ${reader.username}\n</Directory>`,
      `<Directory ${folder}/files/closed>\n${digest}\nRequire user somebody-else\n</Directory>`,
    ].join('\n'),
  )
  // As root it would leave its workers to another user, who may not read the folder.
  return startJudge(program, ['-X', '-f', join(folder, 'httpd.conf')], { folder, port })
}

describe.runIf(hasApache)('Apache, with MD5', () => {
  const options = { hashes: nobleHashes(), allowMd5: true }

  test('accepts every answer of many callers, and of those whose nonce has become stale', async () => {
    const origin = await startApache()
    let challenges = 0
    const counting: typeof fetch = async (...parameters) => {
      const response = await fetch(...parameters)
      if (response.status === 401) challenges += 1
      return response
    }
    const send = authFetch(digestOf({ ...options, baseUrl: origin }), {
      baseUrl: origin,
      fetch: counting,
    })
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => send('/open/file name.txt?a=b')),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await responses[0]?.text()).toBe('content')
    expect(challenges).toBe(1)
    // It gives a next nonce with each response, as long as requests come before the last one is too old.
    await sleep(2500)
    expect((await send('/open/file name.txt')).status).toBe(200)
    expect(challenges).toBe(2)
  })

  test('refuses a wrong password, and a path that the user may not open', async () => {
    const origin = await startApache()
    const credentials = { ...reader, password: 'wrong' }
    const wrong = authFetch(digestOf({ ...options, baseUrl: origin, credentials }))
    await expect(wrong(`${origin}/open/`)).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })

    const send = authFetch(digestOf({ ...options, baseUrl: origin }), { baseUrl: origin })
    for (let round = 1; round <= 3; round += 1) {
      expect((await send('/open/file name.txt')).status).toBe(200)
      const closed = send('/closed/file name.txt')
      await expect(closed).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    }
  })
})
