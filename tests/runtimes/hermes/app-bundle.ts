import { execFile } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { entries } from '../entries.ts'

const execute = promisify(execFile)
const own = import.meta.dirname
const packages = join(own, '../../../packages')

/** The folder of the app, which has an install of its own. */
export const appFolder: string = join(own, '../../react-native')
const installed = join(appFolder, 'node_modules')

/** The engine, which runs scripts. */
export const hermes: string = join(installed, 'hermes-engine-cli/linux64-bin/hermes')
/** The compiler of the newest React Native. */
const hermesc: string = join(installed, 'hermes-compiler/hermesc/linux64-bin/hermesc')

/** The entries that an app may import. */
export const appEntries: readonly string[] = entries
  .filter(({ runsOn }) => runsOn === 'web')
  .map(({ name }) => name)

/**
 * Bundles the app with Metro and the stock preset, from the packages as they are built.
 *
 * @param name - That of a folder for it, which nobody else uses.
 * @param files - Its sources by their names; `index.js` is the entry.
 * @param platform - The platform whose files of React Native are taken.
 * @returns The path of the bundle.
 */
export async function bundleApp(
  name: string,
  files: Readonly<Record<string, string>>,
  platform: 'android' | 'ios' = 'android',
): Promise<string> {
  const work = join(appFolder, '.app', name)
  await rm(work, { recursive: true, force: true })
  await Promise.all(appPackages().map((published) => installBuilt(published, work)))
  for (const [file, source] of Object.entries(files)) await writeFile(join(work, file), source)
  const output = join(work, 'app.bundle')
  const index = join(work, 'index.js')
  await execute(process.execPath, ['bundle.cjs', index, output, platform], { cwd: appFolder })
  // Metro gives every bundle the ending of a script.
  return `${output}.js`
}

/** Compiles a bundle to bytecode, as a release of an app does. */
export async function compileBundle(bundle: string): Promise<void> {
  const output = bundle.replace(/\.js$/, '.hbc')
  await execute(hermesc, ['-w', '-O', '-emit-binary', '-out', output, bundle])
}

function appPackages(): string[] {
  const names = appEntries.map((name) => name.split('/').slice(0, 2).join('/'))
  return [...new Set(names)]
}

/** Copies what a package publishes, as an install from a registry does: Metro takes no link for a package. */
async function installBuilt(name: string, work: string): Promise<void> {
  const from = join(packages, name.replace('@svc/', ''))
  const to = join(work, 'node_modules', name)
  await mkdir(dirname(to), { recursive: true })
  for (const part of ['dist', 'package.json']) {
    await cp(join(from, part), join(to, part), { recursive: true })
  }
}

/** Returns the app that runs the checks, of sources that are TypeScript and import each other by their files. */
export async function checkingApp(): Promise<string> {
  const build = await rolldown({
    input: join(own, 'app.ts'),
    external: /^(?:@svc\/|axios$|openapi-fetch$)/,
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  const imports = appEntries.map((name, index) => `import * as entry${index} from '${name}'\n`)
  const imported = appEntries.map((_name, index) => `entry${index}`).join(', ')
  const exported = `globalThis.exportedNames = () => [${imported}].map((entry) => Object.keys(entry).length)\n`
  const [{ code }] = output
  const environment = ['../../environment.js', 'react-native-url-polyfill/auto']
  const before = environment.map((name) => `import '${name}'\n`)
  return [...before, ...imports, code, exported].join('')
}
