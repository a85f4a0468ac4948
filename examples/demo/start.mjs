// Runs the demo on a machine with nothing but Node and npm: installs the few packages that it imports,
// where they are missing, and runs the sources as they are.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { register } from 'node:module'

/** The workspaces that run in the demo. */
const workspaces = [
  '.',
  '../../packages/types',
  '../../packages/auth-hooks',
  '../../packages/auth-token',
  '../../packages/auth-sigv4',
  '../../packages/route-auth-selector',
  '../../packages/service-auth',
  '../../packages/emulator',
].map((path) => new URL(`${path}/`, import.meta.url))

const isInstalled = workspaces.every((workspace) => {
  const { dependencies = {} } = JSON.parse(readFileSync(new URL('package.json', workspace), 'utf8'))
  return Object.keys(dependencies).every((name) =>
    existsSync(new URL(`node_modules/${name}/package.json`, workspace)),
  )
})
if (!isInstalled) {
  // Neither the tools of the tests nor the pinned Node. CI holds the whole lockfile against the policies
  // on new releases, for which pnpm reads the metadata of every package in it.
  const scope = ['--filter=demo...', '--prod', '--no-optional']
  const flags = ['--frozen-lockfile', '--trust-lockfile', '--reporter=silent']
  const pnpm = process.env.npm_execpath ?? 'pnpm'
  const { status, error } = spawnSync(pnpm, ['install', ...scope, ...flags], { stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
if (!process.features.typescript) register('./strip-types.mjs', import.meta.url)
await import('./main.ts')
