import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { emptyFolder } from './folder.ts'
import { cleanEnvironment, commandArguments } from './run-process.ts'
import { proxyEnvironment, proxyFlags } from './proxy-environment.ts'

/** Starts a proxy as a process of its own, for a service that runs already. */
export async function startProcess({
  baseUrl,
  certificate,
  flags = [],
  env = {},
}: {
  readonly baseUrl: string
  /** A certificate to trust. */
  readonly certificate?: string
  readonly flags?: readonly string[]
  /** Overrides variables; an empty one counts as none. */
  readonly env?: Readonly<Record<string, string>>
}) {
  const home = await emptyFolder()
  const trusted = join(home, 'certificate.pem')
  if (certificate !== undefined) await writeFile(trusted, certificate)
  const child = spawn(process.execPath, [...commandArguments, 'proxy', ...proxyFlags(flags)], {
    env: {
      ...process.env,
      ...cleanEnvironment(home),
      ...(certificate !== undefined && { NODE_EXTRA_CA_CERTS: trusted }),
      ...proxyEnvironment(baseUrl),
      ...env,
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
  const lines = createInterface({ input: child.stdout })
  const first = (await Promise.race([once(lines, 'line'), ended]))[0]
  const url = /^(?:listening on |{"listening":")([^\s"]+)/.exec(String(first))?.[1]
  if (url === undefined) throw new Error(`the proxy did not start: ${notes}`)
  return { url, port: Number(/:(\d+)$/.exec(url)?.[1]), child, ended, notes: () => notes }
}
