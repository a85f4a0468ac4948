import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEmulator } from '@svc/emulator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOtherService } from '../support/other-service.ts'
import { readSnippets } from '../support/readme-snippets.ts'
import { run } from '../support/run-program.ts'

const root = join(import.meta.dirname, '../..')
// Beside the libraries that the snippets come from.
const folder = join(root, 'tests/.coming-from')
const pages = globSync('docs/coming-from/*.md', { cwd: root }).sort()
const secrets = {
  SVC_PASSWORD: 'not-a-secret-password',
  SVC_SECRET_KEY: 'not-a-secret-key',
  OAUTH_CLIENT_SECRET: 'not-a-secret-of-a-client',
}
const emulator = createEmulator({
  users: [{ username: 'reader@example.com', password: secrets.SVC_PASSWORD }],
  apiKeys: [{ accessKeyId: 'AKIDREADER', secretAccessKey: secrets.SVC_SECRET_KEY }],
})
const origins = new Map<string, string>()
const servers: { close(): void | Promise<void> }[] = []

beforeAll(async () => {
  const service = await emulator.listen()
  const other = await startOtherService(secrets.SVC_SECRET_KEY)
  servers.push(service, other)
  origins.set('https://search.example.com', service.url.origin)
  origins.set('https://reports.example.com', other.origin)
  origins.set('https://login.example.com', other.origin)
  mkdirSync(folder, { recursive: true })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  for (const server of servers) await server.close()
})

test('there is a page for each of the libraries', () => {
  expect(pages.map((path) => path.replace('docs/coming-from/', ''))).toEqual([
    'aws4-axios.md',
    'aws4.md',
    'aws4fetch.md',
    'axios-auth-refresh.md',
    'simple-oauth2.md',
    'smithy-signature-v4.md',
  ])
})

for (const page of pages) {
  test(`${page}: the code before and after does the same`, async () => {
    const snippets = readSnippets(page)
    expect(snippets).toHaveLength(2)
    for (const { code, file } of snippets) {
      const [, printed = ''] = /\/\/ (.+)\n$/.exec(code) ?? []
      const path = join(folder, file)
      writeFileSync(path, here(code))
      const command = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning', path]
      const { stdout, stderr } = await run(process.execPath, command, '', secrets)
      expect(stderr).toBe('')
      expect(stdout).toBe(`${printed}\n`)
    }
  })
}

function here(code: string): string {
  let text = code
  for (const [shown, origin] of origins) text = text.replaceAll(shown, origin)
  return text
}
