import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packPackages } from '../../scripts/release/pack-packages.ts'
import { type PackedPackage, readTarball } from '../../scripts/release/packed-package.ts'
import { run } from '../support/run-program.ts'

const own = `import { authFetch, createTokenAuth } from '@svc/auth-token'
import { defaultUsers } from '@svc/emulator'
import { test as base } from '@svc/emulator/vitest'
import { expect } from 'vitest'

const user = { username: 'reader@example.com', password: 'not-a-secret', groups: [] }
const test = base.extend({ emulatorOptions: { users: [user, defaultUsers[0]] } })

for (const { username, password } of [user, defaultUsers[0]]) {
  test(\`\${username} logs in\`, async ({ emulator, service: { baseUrl } }) => {
    const auth = createTokenAuth({ baseUrl, credentials: { username, password } })
    const response = await authFetch(auth, { baseUrl })('/user/groups')
    expect([response.status, emulator.logins]).toEqual([200, 1])
  })
}
`

const neighbours = join(import.meta.dirname, 'node_modules')
const jose = join(import.meta.dirname, '../../packages/emulator/node_modules/jose')

let folder: string
let packed: readonly PackedPackage[]
beforeAll(async () => {
  // Outside of the repository, so that nothing is found but what is installed.
  folder = await realpath(await mkdtemp(join(tmpdir(), 'vitest4-')))
  packed = await Promise.all((await packPackages(folder)).map(readTarball))
})
afterAll(() => rm(folder, { recursive: true }))

test('Vitest 4 has the fixtures', async () => {
  const project = join(folder, 'project')
  const modules = join(project, 'node_modules')
  for (const { manifest, files } of packed) {
    for (const [file, text] of files) await write(join(modules, manifest.name, file), text)
  }
  await symlink(jose, join(modules, 'jose'))
  await symlink(join(neighbours, 'vitest4'), join(modules, 'vitest'))
  await write(join(project, 'package.json'), '{ "type": "module" }')
  await write(join(project, 'own.test.js'), own)
  const args = [join(modules, 'vitest/vitest.mjs'), 'run', '--root', project]
  const { stdout, stderr } = await run(process.execPath, args, '', { NO_COLOR: '1' })
  expect(stderr).toBe('')
  expect(stdout).toContain('Tests  2 passed (2)')
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
