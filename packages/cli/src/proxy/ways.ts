import { randomBytes } from 'node:crypto'
import { lstat, readFile, rm } from 'node:fs/promises'
import type { EmulatorApiKey } from '@svc/emulator/verify'
import { proxyKeyPrefix } from '../configuration/configured-key.ts'
import { writePrivateFile } from '../platform/private-file.ts'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'

/** Credentials by which clients are let in. */
export interface ProxyCredentials {
  /** The value of the header `x-svc-proxy-secret`. */
  readonly secret: string
  /** The proxy's own key pair, if it has one. */
  readonly keyPair: EmulatorApiKey | undefined
  /** Lines that tell the user what was made up, and how to use it. */
  readonly notes: readonly string[]
}

/**
 * Reads the credentials of clients from the environment, and makes up what is missing.
 *
 * @param options - Decide what is made up and where it is told: nowhere, if a socket's mode lets clients in.
 */
export function readProxyCredentials(
  env: CommandContext['env'],
  options: { secretFile: string | undefined; printKeys: boolean; tellsSecret: boolean },
): ProxyCredentials {
  const { secretFile, printKeys, tellsSecret } = options
  const given = env['SVC_AUTH_PROXY_SECRET'] || undefined
  if (given !== undefined && !/^[!-~]{16,1024}$/.test(given)) {
    throw new UsageError(
      'SVC_AUTH_PROXY_SECRET must have at least 16 characters, all of them visible ASCII',
    )
  }
  const secret = given ?? randomBytes(32).toString('base64url')
  const keyPair = readKeyPair(env)
  const notes: string[] = []
  if (given === undefined && secretFile === undefined && tellsSecret) {
    notes.push(`send this header with each request: x-svc-proxy-secret: ${secret}`)
  }
  if (secretFile !== undefined)
    notes.push(`the secret is in ${secretFile}; with curl: -H @${secretFile}`)
  if (keyPair || !printKeys) return { secret, keyPair, notes }
  const made = {
    accessKeyId: `${proxyKeyPrefix}${randomBytes(6).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  }
  notes.push(
    `S3 tools sign with: AWS_ACCESS_KEY_ID=${made.accessKeyId} AWS_SECRET_ACCESS_KEY=${made.secretAccessKey}`,
  )
  return { secret, keyPair: made, notes }
}

function readKeyPair(env: CommandContext['env']): EmulatorApiKey | undefined {
  const accessKeyId = env['SVC_AUTH_PROXY_ACCESS_KEY_ID'] || undefined
  const secretAccessKey = env['SVC_AUTH_PROXY_SECRET_ACCESS_KEY'] || undefined
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined
  if (accessKeyId === undefined || !/^[\w.+=@-]{1,128}$/.test(accessKeyId)) {
    throw new UsageError(
      'SVC_AUTH_PROXY_ACCESS_KEY_ID must be set beside SVC_AUTH_PROXY_SECRET_ACCESS_KEY, to letters, digits and . + = @ _ -',
    )
  }
  if (secretAccessKey === undefined || secretAccessKey.length < 16) {
    throw new UsageError(
      'SVC_AUTH_PROXY_SECRET_ACCESS_KEY must be set beside SVC_AUTH_PROXY_ACCESS_KEY_ID, to at least 16 characters',
    )
  }
  return { accessKeyId, secretAccessKey }
}

const secretHeader = 'x-svc-proxy-secret: '
const secretLine = (secret: string): string => `${secretHeader}${secret}\n`

/** Writes the secret as the header that `curl -H @file` sends, for the user alone, and over no file but such a one. */
export async function writeSecretFile(path: string, secret: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  const isSmall = found?.isFile() === true && found.size < 2048
  const text = isSmall ? await readFile(path, 'latin1') : undefined
  if (found && text !== '' && !text?.startsWith(secretHeader)) {
    throw new UsageError(
      `--secret-file ${path} is there, and is none of a proxy: remove it, or name another`,
    )
  }
  await writePrivateFile(path, secretLine(secret)).catch((cause: unknown) => {
    throw new UsageError(`--secret-file ${path} cannot be written (${errorCode(cause)})`, { cause })
  })
}

/** Removes that file, unless another proxy has written its own there. */
export async function removeSecretFile(path: string, secret: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === secretLine(secret)) await rm(path, { force: true })
}
