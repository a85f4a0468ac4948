import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicPackages } from '../../scripts/release/public-packages.ts'
import { type FirstService, startFirstService } from '../support/first-use.ts'
import {
  type PackageRegistry,
  type PublishedManifest,
  startPackageRegistry,
} from '../support/registry.ts'
import { type Consumer, createConsumer } from './consumer.ts'
import type { Installer } from './installers.ts'
import { cloneFor, type Maintainer } from './maintainer.ts'

/** Everyone who takes part in a release: who publishes, where to, and who installs. */
export interface Stage {
  readonly folder: string
  readonly registry: PackageRegistry
  readonly service: FirstService
  readonly maintainer: Maintainer
  /** Makes a user with an empty project. */
  createConsumer(name: string, installer: Installer): Promise<Consumer>
  /** Returns the latest version of each package that the registry has, in the order of their names. */
  published(): Promise<PublishedManifest[]>
  close(): Promise<void>
}

/** The names of the packages that are released. */
export const names: readonly string[] = publicPackages().map(
  (path) => `@svc/${path.split('/').at(-1)}`,
)

/** Those that a program imports. */
export const libraries: readonly string[] = names.filter((name) => name !== '@svc/cli')

/** Returns every package at a version. */
export const all = (version: string): string[] => names.map((name) => `${name}@${version}`)

/** Starts a registry in a new folder, and clones the working tree beside it. */
export async function openStage(): Promise<Stage> {
  // Outside of the repository, so that nothing is found but what is installed.
  const folder = await mkdtemp(join(tmpdir(), 'release-'))
  const registry = await startPackageRegistry(join(folder, 'registry'))
  const service = await startFirstService()
  const close = async (): Promise<void> => {
    await service.close()
    await registry.close()
    await rm(folder, { recursive: true })
  }
  const maintainer = await prepare(registry, join(folder, 'clone')).catch(
    async (error: unknown) => {
      await close()
      throw error
    },
  )

  return {
    folder,
    registry,
    service,
    maintainer,
    createConsumer: (name, installer) =>
      createConsumer(join(folder, name), installer, registry.url, service),
    async published() {
      const documents = await Promise.all(names.map((name) => registry.find(name)))
      return documents.flatMap((one) => one?.versions[one['dist-tags']['latest'] ?? ''] ?? [])
    },
    close,
  }
}

/** Returns the names and ranges of our packages that a published version depends on. */
export function ownDependencies({ dependencies = {} }: PublishedManifest): [string, string][] {
  return Object.entries(dependencies).filter(([name]) => name.startsWith('@svc/'))
}

async function prepare(registry: PackageRegistry, clone: string): Promise<Maintainer> {
  await mkdir(clone)
  // Not at the same time: pnpm links to the files that are packed here, which tar takes for a change of theirs.
  await publishLibraries(registry)
  return cloneFor(registry, clone)
}

/** Publishes what our packages depend on, which the registry asks nobody else for. */
async function publishLibraries(registry: PackageRegistry): Promise<void> {
  const manifest = (name: string): string =>
    join(import.meta.dirname, `../../packages/${name}/package.json`)
  await registry.publishDependencies(manifest('cli'))
  await registry.publishDependencies(manifest('emulator'))
  // A snippet parses with it.
  await registry.publishDependencies(manifest('types'), 'valibot')
}
