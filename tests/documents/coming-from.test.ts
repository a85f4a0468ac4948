import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEmulator } from '@svc/emulator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withAwsStandIn, writeAwsStandIn } from '../support/aws-stand-in.ts'
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
const apiKey = { accessKeyId: 'AKIDREADER', secretAccessKey: secrets.SVC_SECRET_KEY }
const emulator = createEmulator({
  users: [{ username: 'reader@example.com', password: secrets.SVC_PASSWORD }],
  apiKeys: [apiKey],
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
      const { stdout, stderr } = await runModule(file, here(code))
      expect(stderr).toBe('')
      expect(stdout).toBe(`${printed}\n`)
    }
  })
}

const report = 'https://examplebucket.s3.eu-central-1.amazonaws.com/report.csv'

test.each([
  ['aws4fetch', `await (await aws('${report}')).text()`],
  ['aws4-axios', `(await aws.get('${report}', { env: { fetch: standIn } })).data`],
])('%s.md: the one line for AWS itself is signed as AWS asks', async (name, called) => {
  const text = readFileSync(join(root, 'docs/coming-from', `${name}.md`), 'utf8')
  const [, line = ''] = /\*\*AWS itself\*\* is one line, `([^`]+)`/.exec(text) ?? []
  const code = `import { authAxios } from '@svc/auth-hooks/axios'
import { authFetch } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import axios from 'axios'

const credentials = ${JSON.stringify(apiKey)}
const aws = ${line.replace(/authAxios\((.*)\)\)$/, "authAxios($1, { adapter: 'fetch' }))")}
console.log(${called})
`
  writeAwsStandIn(folder, apiKey)
  const { stdout, stderr } = await runModule(`${name}-aws.mjs`, withAwsStandIn(code))
  expect(stderr).toBe('')
  expect(stdout).toBe('a;b\n')
})

function runModule(file: string, code: string) {
  const path = join(folder, file)
  writeFileSync(path, code)
  const command = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning', path]
  return run(process.execPath, command, '', secrets)
}

function here(code: string): string {
  let text = code
  for (const [shown, origin] of origins) text = text.replaceAll(shown, origin)
  return text
}
