import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { onTestFinished } from 'vitest'
import { emptyFolder } from './folder.ts'
import { cleanEnvironment, commandArguments } from './run-process.ts'

/** The key pair of the proxies of these tests, a placeholder of the service's. */
export const placeholderKey = {
  accessKeyId: 'PROXYPLACEHOLDER',
  secretAccessKey: 'not-a-secret-of-the-proxy',
} as const

/** The secret of the proxies of these tests. */
export const proxySecret = 'not-a-secret-proxy-secret'

/** Starts an emulator, and a proxy for it as a process of its own. */
export async function startProxy(...flags: readonly string[]) {
  const emulator = createEmulator({ maxBodyBytes: 512 * 1024 * 1024 })
  const service = await emulator.listen()
  onTestFinished(() => service.close())
  const { baseUrl } = service
  const home = await emptyFolder()
  const [{ username, password }] = defaultUsers
  const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
  const env = {
    ...process.env,
    ...cleanEnvironment(home),
    SVC_AUTH_BASE_URL: baseUrl,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_USERNAME: username,
    SVC_AUTH_PASSWORD: password,
    SVC_AUTH_ACCESS_KEY_ID: accessKeyId,
    SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey,
    SVC_AUTH_PROXY_SECRET: proxySecret,
    SVC_AUTH_PROXY_ACCESS_KEY_ID: placeholderKey.accessKeyId,
    SVC_AUTH_PROXY_SECRET_ACCESS_KEY: placeholderKey.secretAccessKey,
  }
  const child = spawn(process.execPath, [...commandArguments, 'proxy', '--port', '0', ...flags], {
    env,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const log: string[] = []
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString()))
  const lines = createInterface({ input: child.stdout })
  const [first] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => [`the proxy ended: ${log.join('')}`]),
  ])) as [string]
  lines.on('line', (line) => log.push(`${line}\n`))
  const proxyUrl = /^listening on (http:\S+?)\/?$/.exec(first)?.[1]
  if (proxyUrl === undefined) throw new Error(first)
  return { emulator, proxyUrl, child, home, log: () => log.join('') }
}
