import { globSync } from 'node:fs'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parse } from 'yaml'
import type { VersionedManifest } from '../../scripts/release/check-publishable.ts'
import { pnpmCommand } from '../../scripts/release/pnpm.ts'
import { publicPackages } from '../../scripts/release/public-packages.ts'
import { repository } from '../../scripts/release/repository.ts'
import type { PackageRegistry } from '../support/registry.ts'
import { type Finished, outputIn, run } from '../support/run-program.ts'
import { withoutNpm } from './without-npm.ts'

/** A clone of the repository, with somebody who releases from it. */
export interface Maintainer {
  readonly folder: string
  /** Returns the text of a file of the clone. */
  read(path: string): Promise<string>
  /** Adds a line to a source file, and a changeset that says so. */
  change(packageName: string, bump: 'patch' | 'minor', summary: string): Promise<void>
  /** Does what the pull request with the versions does and is merged for; returns the files that it changed. */
  version(): Promise<readonly string[]>
  /** Returns the version that each public package has in the clone. */
  versions(): Promise<string[]>
  /** Runs a script of the root's package.json. */
  script(...args: readonly string[]): Promise<Finished>
  /** Fails where the lockfile says another thing than a manifest. */
  checkLockfile(): Promise<void>
  git(...args: readonly string[]): Promise<string>
}

/**
 * Makes a repository of what git knows in this one, or would with `git add`, as it lies in the folder: so that what
 * is tested is what is being written. Its dependencies come from the store of pnpm, and none is downloaded.
 */
export async function cloneFor(registry: PackageRegistry, folder: string): Promise<Maintainer> {
  const environment = {
    ...withoutNpm,
    // Where pnpm itself is found.
    npm_config_registry: process.env['npm_config_registry'],
    NPM_CONFIG_USERCONFIG: registry.settings,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'maintainer',
    GIT_AUTHOR_EMAIL: 'maintainer@example.com',
    GIT_COMMITTER_NAME: 'maintainer',
    GIT_COMMITTER_EMAIL: 'maintainer@example.com',
    // What would prove to npm where a package is built: there is no such thing here.
    ACTIONS_ID_TOKEN_REQUEST_URL: '',
    NO_COLOR: '1',
  }
  const git = (...args: readonly string[]): Promise<string> =>
    outputIn(folder, ['git', ...args], environment)
  const commit = async (message: string): Promise<void> => {
    await git('add', '--all')
    await git('commit', '--quiet', '--message', message)
  }
  const script: Maintainer['script'] = (...args) => {
    const [command, ...before] = pnpmCommand
    return run(command, [...before, 'run', ...args], '', environment, folder)
  }

  await copyWorkingTree(folder)
  await unrelease(folder)
  await git('init', '--quiet', '--initial-branch=main')
  await commit('The working tree')
  const settings = await readFile(join(repository, 'node_modules/.modules.yaml'), 'utf8')
  // As pnpm writes it.
  const { storeDir } = parse(settings) as { storeDir: string }
  const install = async (...options: readonly string[]): Promise<void> => {
    const offline = [
      '--offline',
      '--frozen-lockfile',
      '--trust-lockfile',
      `--store-dir=${storeDir}`,
    ]
    await outputIn(folder, [...pnpmCommand, 'install', ...offline, ...options], environment)
  }
  await install('--ignore-scripts', '--filter', '.', '--filter', './packages/*')
  // Whoever runs the tests may be logged in to npm.
  const target = await outputIn(
    folder,
    [...pnpmCommand, 'config', 'get', '@svc:registry'],
    environment,
  )
  if (target.trim() !== registry.url) throw new Error(`this would publish to ${target}`)

  return {
    folder,
    script,
    checkLockfile: () => install('--lockfile-only'),
    git,
    read: (path) => readFile(join(folder, path), 'utf8'),
    versions: () =>
      Promise.all(
        publicPackages().map(async (path) => {
          const text = await readFile(
            join(folder, relative(repository, path), 'package.json'),
            'utf8',
          )
          // A manifest of this very repository.
          const { name, version } = JSON.parse(text) as VersionedManifest
          return `${name}@${version}`
        }),
      ),
    async change(packageName, bump, summary) {
      const source = join(folder, 'packages', packageName, 'src/index.ts')
      await writeFile(source, `${await readFile(source, 'utf8')}// ${summary}\n`)
      const changeset = `---\n'@svc/${packageName}': ${bump}\n---\n\n${summary}\n`
      await writeFile(join(folder, `.changeset/${crypto.randomUUID()}.md`), changeset)
      await commit(summary)
    },
    async version() {
      await git('switch', '--quiet', '--create', 'changeset-release/main')
      const { status, stdout, stderr } = await script('version')
      if (status !== 0) throw new Error(`${stdout}${stderr}`)
      await commit('Version the packages')
      await git('switch', '--quiet', 'main')
      await git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'changeset-release/main')
      await git('branch', '--quiet', '--delete', 'changeset-release/main')
      const changed = await git('diff', '--name-status', 'HEAD^', 'HEAD')
      return changed.trim().split('\n')
    },
  }
}

async function copyWorkingTree(folder: string): Promise<void> {
  const [all, gone] = await Promise.all([
    outputIn(repository, ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']),
    outputIn(repository, ['git', 'ls-files', '-z', '--deleted']),
  ])
  const deleted = new Set(gone.split('\0'))
  const paths = new Set(all.split('\0').filter((path) => path !== '' && !deleted.has(path)))
  await Promise.all([...paths].map((path) => cp(join(repository, path), join(folder, path))))
}

/** The changeset that is there in every run, beside those that wait for their release. */
const firstChangeset = 'The first version:\n\n- with an item'

/** Takes the clone back to the time before the first release, with all changes that wait for the next one. */
async function unrelease(folder: string): Promise<void> {
  const edit = async (path: string, from: RegExp, to: string): Promise<void> => {
    const file = join(folder, path)
    await writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
  }
  const packages = publicPackages().map((path) => relative(repository, path))
  for (const path of packages) {
    await edit(`${path}/package.json`, /(?<="version": ").+(?=")/, '0.0.0')
    await rm(join(folder, path, 'CHANGELOG.md'), { force: true })
  }
  await edit('packages/auth-token/src/version.ts', /(?<=version = ').+(?=')/, '0.0.0')
  for (const path of globSync('.changeset/*.md', { cwd: folder })) {
    await edit(path, /: major$/gm, ': minor')
  }
  const head = packages.map((path) => `'${path.replace('packages', '@svc')}': minor`).join('\n')
  await writeFile(join(folder, '.changeset/first.md'), `---\n${head}\n---\n\n${firstChangeset}\n`)
}
