import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createEmulator, defaultApiKeys, defaultUsers, type ListeningEmulator } from '@svc/emulator'
import { AuthError, createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth } from '@svc/auth-token'
import { createRouteAuthSelector } from '@svc/route-auth-selector'
import { routesFromOpenApi } from '@svc/route-auth-selector/openapi'
import type { AuthScheme } from '@svc/types'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { run } from '../support/run-program.ts'

const tests = join(import.meta.dirname, '..')
const document = join(tests, '../examples/openapi/service.json')
const programs = join(import.meta.dirname, 'generators/node_modules/.bin')

/** A client that a program generates from the document. */
interface GeneratedClient {
  readonly name: string
  /** The program with its arguments. */
  readonly command: readonly [program: string, ...args: string[]]
  /** Files beside those that are generated. */
  readonly files?: Readonly<Record<string, string>>
  /** The module of somebody who uses it: `call(baseUrl, auth)` lists the groups, and stores and reads an object. */
  readonly program: string
}

const heyApi = (client: string): GeneratedClient['command'] => [
  'openapi-ts',
  '--input',
  document,
  '--output',
  'generated',
  '--client',
  `@hey-api/client-${client}`,
]

/** Calls the functions that hey-api generates. */
const heyApiCalls = `
  const { data: groups } = await listGroups({ throwOnError: true })
  await putObject({ path: { name: 'a b.json' }, body: { rows: 3 }, throwOnError: true })
  const { data: stored } = await getObject({ path: { name: 'a b.json' }, throwOnError: true })
  return { groups, stored }
}`

const generatedClients: readonly GeneratedClient[] = [
  {
    name: 'hey-api, fetch',
    command: heyApi('fetch'),
    program: `import { authFetch, type AuthScheme } from '@svc/auth-hooks'
import { getObject, listGroups, putObject } from './generated'
import { client } from './generated/client.gen'

export async function call(baseUrl: string, auth: AuthScheme) {
  // #region hey-api
  client.setConfig({ baseUrl, fetch: authFetch(auth, { rebuildRequests: true }) })
  // #endregion
${heyApiCalls}`,
  },
  {
    name: 'hey-api, axios',
    command: heyApi('axios'),
    program: `import { authAxios } from '@svc/auth-hooks/axios'
import type { AuthScheme } from '@svc/auth-hooks'
import { getObject, listGroups, putObject } from './generated'
import { client } from './generated/client.gen'

export async function call(baseUrl: string, auth: AuthScheme) {
  client.setConfig({ baseURL: baseUrl, ...authAxios(auth) })
${heyApiCalls}`,
  },
  {
    name: 'hey-api, ky',
    command: heyApi('ky'),
    program: `import { authKy, type AuthScheme } from '@svc/auth-hooks'
import ky from 'ky'
import { getObject, listGroups, putObject } from './generated'
import { client } from './generated/client.gen'

export async function call(baseUrl: string, auth: AuthScheme) {
  client.setConfig({ baseUrl, ky: ky.extend(authKy(auth, { rebuildRequests: true })) })
${heyApiCalls}`,
  },
  {
    name: 'openapi-typescript and openapi-fetch',
    command: ['openapi-typescript', document, '--output', 'paths.d.ts'],
    program: `import type { AuthScheme } from '@svc/auth-hooks'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import createClient from 'openapi-fetch'
import type { paths } from './paths'

export async function call(baseUrl: string, auth: AuthScheme) {
  // #region openapi-fetch
  const client = createClient<paths>({ baseUrl, ...authOpenApi(auth) })
  // #endregion
  const { data: groups } = await client.GET('/user/groups')
  const params = { path: { name: 'a b.json' } }
  await client.PUT('/V1/{name}', { params, body: { rows: 3 }, parseAs: 'text' })
  const { data: stored } = await client.GET('/V1/{name}', { params })
  return { groups, stored }
}`,
  },
  {
    name: 'orval, fetch',
    command: ['orval', '--config', 'orval.config.mjs'],
    files: {
      'orval.config.mjs': `export default {
  service: {
    input: ${JSON.stringify(document)},
    output: {
      target: 'generated.ts',
      client: 'fetch',
      override: { mutator: { path: 'service-fetch.ts', name: 'serviceFetch' } },
    },
  },
}`,
      'service-fetch.ts': `import { authFetch, type Fetch } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/auth-hooks'

// #region orval
let send: Fetch = fetch

export function connect(baseUrl: string, auth: AuthScheme): void {
  send = authFetch(auth, { baseUrl })
}

export async function serviceFetch<T>(url: string, init: RequestInit): Promise<T> {
  const response = await send(url, init)
  const text = await response.text()
  const data: unknown = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, data } as T
}
// #endregion`,
    },
    program: `import type { AuthScheme } from '@svc/auth-hooks'
import { getObject, listGroups, putObject } from './generated'
import { connect } from './service-fetch'

export async function call(baseUrl: string, auth: AuthScheme) {
  connect(baseUrl, auth)
  const { data: groups } = await listGroups()
  await putObject('a b.json', { rows: 3 })
  const { data: stored } = await getObject('a b.json')
  return { groups, stored }
}`,
  },
]

const isThere = hasProgram(
  'what generates clients',
  [join(programs, 'openapi-ts'), '--version'],
  'pnpm install',
)

describe.skipIf(!isThere).concurrent('a client that is generated from the document', () => {
  let folder = ''
  const emulator = createEmulator()
  let server: ListeningEmulator
  beforeAll(async () => {
    const cache = join(tests, 'node_modules/.cache')
    await mkdir(cache, { recursive: true })
    folder = await mkdtemp(join(cache, 'generated-'))
    await symlink(join(tests, 'node_modules'), join(folder, 'node_modules'))
    server = await emulator.listen()
  })
  afterAll(async () => {
    await server?.close()
    await rm(folder, { recursive: true })
  })

  async function authenticated(credentials = defaultUsers[0]): Promise<AuthScheme> {
    const { baseUrl } = server
    const schemes = {
      token: createTokenAuth({ baseUrl, credentials, uniqueSession: false }),
      signature: createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: defaultApiKeys[0] }),
    }
    const parsed: unknown = JSON.parse(await readFile(document, 'utf8'))
    return createRouteAuthSelector(routesFromOpenApi(parsed, { schemes, baseUrl }))
  }

  test.each(generatedClients)(
    '$name: lists groups, stores an object and reads it, and repeats no refused login',
    async ({ name, command: [program, ...args], files = {}, program: source }) => {
      const own = join(folder, name.replaceAll(/\W+/g, '-'))
      await mkdir(own)
      for (const [path, text] of Object.entries({ ...files, 'program.ts': source })) {
        await writeFile(join(own, path), text)
      }
      const finished = await run('env', ['--chdir', own, join(programs, program), ...args])
      expect(finished).toMatchObject({ status: 0 })

      const build = await rolldown({
        input: join(own, 'program.ts'),
        platform: 'node',
        resolve: { conditionNames: ['@svc/source', 'node', 'import', 'default'] },
        logLevel: 'silent',
      })
      const { output } = await build.generate({ format: 'esm', codeSplitting: false })
      await build.close()
      const file = join(own, 'program.mjs')
      await writeFile(file, output[0].code)

      // It was just written.
      const { call } = (await import(pathToFileURL(file).href)) as {
        call: (baseUrl: string, auth: AuthScheme) => Promise<{ groups: unknown; stored: unknown }>
      }
      const { groups, stored } = await call(server.baseUrl, await authenticated())
      expect(groups).toEqual(
        expect.arrayContaining([expect.objectContaining({ id: 'group-0001' })]),
      )
      expect(stored).toEqual({ rows: 3 })

      const stranger = await authenticated({ username: name, password: 'wrong' })
      const error: unknown = await call(server.baseUrl, stranger).catch((reason: unknown) => reason)
      expect(AuthError.is(error)).toBe(true)
      const logins = emulator.requests.filter(({ body }) => Buffer.from(body).includes(name))
      expect(logins).toHaveLength(1)
    },
  )
})
