import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FirstService } from '../support/first-use.ts'
import { type Environment, outputIn } from '../support/run-program.ts'
import type { Installer } from './installers.ts'
import { withoutNpm } from './without-npm.ts'

/** A project of a user on a machine that installed nothing before. */
export interface Consumer {
  readonly path: string
  readonly settings: Environment
  /** Installs packages by their names. */
  add(...packages: readonly string[]): Promise<void>
  update(): Promise<void>
  /** Runs a module with the secrets of the account, and returns its output. */
  run(code: string, file?: string): Promise<string>
  /** Returns each copy of our packages, as its name and version. */
  copies(): readonly string[]
}

/** Makes an empty project in a folder of its own, whose installer asks one registry. */
export async function createConsumer(
  folder: string,
  installer: Installer,
  registry: string,
  service: FirstService,
): Promise<Consumer> {
  const [home, path] = [join(folder, 'home'), join(folder, 'project')]
  await mkdir(home, { recursive: true })
  await mkdir(path)
  const files = {
    'package.json': JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
    ...installer.files,
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text)
  const settings = { ...withoutNpm, ...installer.settings(registry, home) }
  return {
    path,
    settings,
    async add(...packages) {
      const specifiers = packages.map((name) => installer.specifier(name))
      await outputIn(path, [...installer.add, ...specifiers], settings)
    },
    async update() {
      await outputIn(path, installer.update, settings)
    },
    async run(code, file = 'snippet.mjs') {
      await writeFile(join(path, file), code)
      const environment = { ...settings, ...service.environment }
      return outputIn(path, [...installer.run, file], environment)
    },
    copies: () => installer.copies(path),
  }
}
