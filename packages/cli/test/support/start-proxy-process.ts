import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { onTestFinished } from 'vitest'
import { emptyFolder } from './folder.ts'
import { cleanEnvironment, commandArguments } from './run-process.ts'
import { placeholderKey, proxySecret } from './start-proxy.ts'

/** Starts a proxy as a process of its own, for a service that runs already. */
export async function startProcess({
  baseUrl,
  certificate,
  flags = [],
}: {
  readonly baseUrl: string
  /** A certificate to trust. */
  readonly certificate?: string
  readonly flags?: readonly string[]
}) {
  const home = await emptyFolder()
  const trusted = join(home, 'certificate.pem')
  if (certificate !== undefined) await writeFile(trusted, certificate)
  const [{ username, password }] = defaultUsers
  const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
  const address = flags.some((flag) => /^--(?:port|socket)$/.test(flag)) ? [] : ['--port', '0']
  const child = spawn(process.execPath, [...commandArguments, 'proxy', ...address, ...flags], {
    env: {
      ...process.env,
      ...cleanEnvironment(home),
      ...(certificate !== undefined && { NODE_EXTRA_CA_CERTS: trusted }),
      SVC_AUTH_BASE_URL: baseUrl,
      SVC_AUTH_REGION: 'us-east-1',
      SVC_AUTH_USERNAME: username,
      SVC_AUTH_PASSWORD: password,
      SVC_AUTH_ACCESS_KEY_ID: accessKeyId,
      SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey,
      SVC_AUTH_PROXY_SECRET: proxySecret,
      SVC_AUTH_PROXY_ACCESS_KEY_ID: placeholderKey.accessKeyId,
      SVC_AUTH_PROXY_SECRET_ACCESS_KEY: placeholderKey.secretAccessKey,
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
  const lines = createInterface({ input: child.stdout })
  const first = (await Promise.race([once(lines, 'line'), ended]))[0]
  const url = /^listening on (\S+)$/.exec(String(first))?.[1]
  if (url === undefined) throw new Error(`the proxy did not start: ${notes}`)
  return { url, port: Number(/:(\d+)$/.exec(url)?.[1]), child, ended, notes: () => notes }
}
