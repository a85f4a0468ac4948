import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { node22, node26 } from '../../support/other-runtimes.ts'
import { bundle } from '../../support/bundle.ts'

const execute = promisify(execFile)
const modules = join(import.meta.dirname, '../../node_modules')

/** The program of each Node that is supported; where one is not for this platform, it is missing. */
export const nodes: Readonly<Record<string, string>> = {
  'Node 20': join(modules, 'node20/bin/node'),
  'Node 22': node22,
  'Node 24': process.execPath,
  'Node 26': node26,
}

/** The modules of the battery in a form that every Node takes. */
export interface BundledBattery {
  readonly command: string
  readonly worker: string
}

/** Bundles the battery. */
export async function bundleBattery(): Promise<BundledBattery> {
  const [command, worker] = await Promise.all([bundleModule('command'), bundleModule('worker')])
  return { command, worker }
}

/** Runs the battery on a Node, and returns what came of each scenario. */
export async function outcomesOn(
  node: string,
  { command, worker }: BundledBattery,
): Promise<readonly string[]> {
  const { stdout } = await execute(node, [command, worker], { timeout: 120_000 })
  // The command wrote it.
  return JSON.parse(stdout) as string[]
}

async function bundleModule(name: string): Promise<string> {
  const folder = join(modules, '.cache/battery')
  const path = join(folder, `${name}.mjs`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, await bundle(`runtimes/battery/${name}.ts`, 'node'))
  return path
}
