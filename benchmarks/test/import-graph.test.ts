import { describe, expect, test } from 'vitest'
import { staticImports } from './module-graph.ts'

const packages = ['auth-hooks', 'auth-token', 'auth-sigv4', 'route-auth-selector', 'service-auth']
/** The packages that each is built on, beside the hooks and the types. */
const builtOn: Readonly<Record<string, readonly string[]>> = {
  'service-auth': ['auth-token', 'auth-sigv4', 'route-auth-selector'],
}

describe('what is seldom asked for is loaded when it is asked for', () => {
  test.each([
    [
      'auth-sigv4',
      'auth-sigv4/signer.ts',
      /\/(?:presign|explain)\.ts|\/diagnose\/|streaming\/streaming\.ts|engines\/aws4/,
    ],
    ['auth-token', 'auth-token/session/session.ts', /\/sharing\/|\/stores\/(?:file\/|redis)/],
    ['auth-hooks', 'auth-hooks/kernel/exchange.ts', /\/(?:axios|got|node|undici)\/|openapi-fetch/],
  ])('by %s', async (name, needed, unneeded) => {
    const { files } = await staticImports(`@svc/${name}`, ['node'])
    expect(files).toContain(needed)
    expect(files.filter((file) => unneeded.test(file))).toEqual([])
  })
})

test.each(packages)('%s needs no module of Node in a browser', async (name) => {
  const { builtins } = await staticImports(`@svc/${name}`, ['browser'])
  expect(builtins).toEqual([])
})

test('on Node the same graph does name them, but none that takes long to load', async () => {
  const { builtins } = await staticImports('@svc/auth-sigv4', ['node'])
  expect(builtins).toContain('node:module')
  expect(builtins).not.toContain('node:crypto')
})

test.each(['@svc/auth-sigv4/aws', '@svc/auth-sigv4/credentials'])(
  '%s, which functions of a cloud import, needs no module of Node that takes long to load',
  async (entry) => {
    const { builtins } = await staticImports(entry, ['node'])
    expect(builtins).toEqual(['node:diagnostics_channel', 'node:module'])
  },
)

test.each(packages)('%s loads no file of a package that it is not built on', async (name) => {
  const allowed = new Set([name, 'auth-hooks', 'types', ...(builtOn[name] ?? [])])
  const { files } = await staticImports(`@svc/${name}`, ['node'])
  expect(files.filter((file) => !allowed.has(file.split('/')[0] ?? ''))).toEqual([])
})
