import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The options of each package, with the page of `docs/api` that the sources made of them. */
const options: readonly (readonly [name: string, packageName: string, page: string])[] = [
  ['AuthFetchOptions', 'auth-hooks', 'auth-hooks.md'],
  ['AuthAxiosOptions', 'auth-hooks', 'auth-hooks/axios.md'],
  ['TokenAuthOptions', 'auth-token', 'auth-token.md'],
  ['SessionAuthOptions', 'auth-token', 'auth-token.md'],
  ['OAuth2ClientOptions', 'auth-token', 'auth-token/oauth2.md'],
  ['RefreshTokenOptions', 'auth-token', 'auth-token/oauth2.md'],
  ['DpopOptions', 'auth-token', 'auth-token/dpop.md'],
  ['SignInOptions', 'auth-token', 'auth-token/sign-in.md'],
  ['StepUpOptions', 'auth-token', 'auth-token/step-up.md'],
  ['DeviceCodeOptions', 'auth-token', 'auth-token/sign-in.md'],
  ['LoopbackOptions', 'auth-token', 'auth-token/sign-in.md'],
  ['SigV4AuthOptions', 'auth-sigv4', 'auth-sigv4.md'],
  ['AwsAuthOptions', 'auth-sigv4', 'auth-sigv4/aws.md'],
  ['StreamingOptions', 'auth-sigv4', 'auth-sigv4/streaming.md'],
  ['DigestAuthOptions', 'auth-digest', 'auth-digest.md'],
  ['ServiceRoutesOptions', 'route-auth-selector', 'route-auth-selector.md'],
  ['RouteAuthSelectorOptions', 'route-auth-selector', 'route-auth-selector.md'],
  ['PathRoute', 'route-auth-selector', 'route-auth-selector.md'],
  ['PrefixRoute', 'route-auth-selector', 'route-auth-selector.md'],
  ['TemplateRoute', 'route-auth-selector', 'route-auth-selector.md'],
  ['RoutesFromOpenApiOptions', 'route-auth-selector', 'route-auth-selector/openapi.md'],
  ['ServiceAuthOptions', 'service-auth', 'service-auth.md'],
  ['EmulatorOptions', 'emulator', 'emulator.md'],
]

test.each(options)(
  '%s stands in the README of %s or in a guide, with its defaults',
  (name, packageName, page) => {
    const section = read(`docs/api/${page}`).split(`\n### ${name}\n`)[1]?.split('\n***\n')[0] ?? ''
    const properties = [...section.matchAll(/^\| <a id="property-[^>]+><\/a> `(\w+)\??` .*$/gm)]
    expect(properties).not.toEqual([])

    const rows = documentsOf(packageName).split('\n')
    const missing = properties.filter(([property, option = '']) => {
      const byDefault = /\*\*Default\*\* (`[^`]+`)/.exec(property)?.[1] ?? ''
      return !rows.some((row) => row.startsWith(`| \`${option}\` `) && row.includes(byDefault))
    })
    expect(missing.map(([, option]) => option)).toEqual([])
  },
)

const throwing = [
  'auth-hooks',
  'auth-token',
  'auth-sigv4',
  'auth-digest',
  'route-auth-selector',
  'service-auth',
]

describe.each(throwing)('%s', (name) => {
  const rows = read(`packages/${name}/README.md`).match(/(?<=^\| `)ERR_AUTH_\w+(?=…?` )/gm) ?? []

  test('has a row for every code that its sources throw', () => {
    const thrown = new Set(
      globSync(`packages/${name}/src/**/*.ts`, { cwd: root }).flatMap(
        (file) => read(file).match(/(?<=')ERR_AUTH_\w+(?=')/g) ?? [],
      ),
    )
    const isTold = (code: string): boolean =>
      rows.some((row) => row === code || (row.endsWith('_') && code.startsWith(row)))
    expect(thrown).not.toEqual(new Set())
    expect([...thrown].filter((code) => !isTold(code))).toEqual([])
  })

  test('has no row for a code that there is not', () => {
    const known = read('packages/auth-hooks/src/kit/errors.ts')
    expect(
      rows.filter((code) => !['`', "'"].some((quote) => known.includes(quote + code))),
    ).toEqual([])
  })
})

/** The README of a package, and the guides. */
function documentsOf(name: string): string {
  const guides = globSync('docs/guides/*.md', { cwd: root })
  return [`packages/${name}/README.md`, ...guides].map(read).join('\n')
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
