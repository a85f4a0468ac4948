import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bun, deno, denoRun, node22, node26 } from '../support/other-runtimes.ts'
import { bundle } from '../support/bundle.ts'
import { chromiumRuntime, webWorkerRuntime } from './chromium/chromium-runtime.ts'
import { commandRuntime } from './command-runtime.ts'
import type { Runtime } from './runtime.ts'
import { hermesRuntime } from './hermes/hermes-runtime.ts'
import { workerdRuntime } from './workerd-runtime.ts'

const inTests = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const entry = inTests('runtimes/command.ts')
const fromSource = async (): Promise<string[]> => ['--conditions=@svc/source', entry]

/** Node 20 does not take TypeScript. */
const fromBundle = async (): Promise<string[]> => {
  const folder = inTests('node_modules/.cache/runtimes')
  const path = `${folder}/command.mjs`
  await mkdir(folder, { recursive: true })
  await writeFile(path, await bundle('runtimes/command.ts', 'node'))
  return [path]
}

/** Every runtime that the client packages are for. */
export const runtimes: readonly Runtime[] = [
  commandRuntime('Node 20', inTests('node_modules/node20/bin/node'), fromBundle),
  commandRuntime('Node 22', node22, fromSource),
  commandRuntime('Node 24', inTests('../node_modules/.bin/node'), fromSource),
  commandRuntime('Node 26', node26, fromSource),
  commandRuntime('Bun', bun, fromSource),
  commandRuntime('Deno', deno, async () => [
    ...denoRun,
    '--allow-net',
    '--allow-read',
    '--allow-env',
    ...(await fromSource()),
  ]),
  workerdRuntime('Cloudflare Workers (workerd)', []),
  workerdRuntime('Cloudflare Workers (workerd) with nodejs_compat', ['nodejs_compat']),
  chromiumRuntime(),
  webWorkerRuntime(),
  hermesRuntime(),
]
