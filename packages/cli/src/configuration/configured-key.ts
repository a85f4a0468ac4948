import type { ApiKey } from '@svc/auth-sigv4'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import type { ProcessCredentials } from './credential-process.ts'
import type { Profile } from './profiles.ts'
import { findKept } from './prompt.ts'
import { findSetting, type Found, type Places, type SecretPlace, variable } from './settings.ts'

/** The API key that signs. */
export interface ConfiguredKey {
  /** `undefined` if only the profile's `credential_process` knows it. */
  readonly accessKeyId: Found | undefined
  /** Said besides where its secret is missing. */
  readonly hint: string
  /** Resolves to the place of the secret and to what reads the key, or to `undefined` if there is no secret. */
  find(): Promise<SecretPlace<ApiKey> | undefined>
}

/**
 * Reads which key signs. Returns `undefined` if none is named. The two halves of a key, and its session token, come
 * from one place, or belong together by the key's ID.
 */
export function readConfiguredKey(places: Places, baseUrl: string): ConfiguredKey | undefined {
  const { context, profile, runProcess } = places
  const accessKeyId = findAccessKeyId(places)
  if (!accessKeyId && !runProcess) return undefined
  const find = async (): Promise<SecretPlace<ApiKey> | undefined> => {
    const inVariables = keyInVariables(accessKeyId, context)
    if (inVariables) return inVariables
    const id = accessKeyId?.value
    const saved = profile?.accessKeyId ?? id
    if (profile && runProcess && saved === id) {
      const source = processOf(profile)
      const { secretAccessKey, accessKeyId: printed = id } = await runProcess()
      // A temporary key is asked for anew before it ends.
      const read = async (): Promise<ApiKey> => printedKey(await runProcess(), id, source)
      // One that the profile does not name is a key of its own.
      const isMeant = id === undefined || printed === id || profile.accessKeyId === id
      if (secretAccessKey !== undefined && isMeant) return { source, read }
    }
    if (id === undefined) return undefined
    const question = `Secret of the access key ${id}`
    const kept = await findKept(secretAccount(baseUrl, id), question, context)
    if (!kept) return undefined
    return { ...kept, read: async () => ({ accessKeyId: id, secretAccessKey: await kept.read() }) }
  }
  return { accessKeyId, hint: otherSecrets(accessKeyId?.value, places), find }
}

const ownSecret = 'SVC_AUTH_SECRET_ACCESS_KEY'
const ownId = 'SVC_AUTH_ACCESS_KEY_ID'

/** The beginning of the key IDs that the proxy makes up for S3 tools. The service does not know them. */
export const proxyKeyPrefix = 'SVCPROXY'

const processOf = ({ name }: Profile): string => `the credential_process of the profile ${name}`

/** Says which places have a secret, but of another key. */
function otherSecrets(id: string | undefined, { context, profile, runProcess }: Places): string {
  const named = variable(context, ownId)
  const isOther = named !== undefined && named !== id && variable(context, ownSecret) !== undefined
  const ofVariable = isOther ? `; ${ownSecret} is that of ${named}, from ${ownId}` : ''
  return ofVariable + (profile && runProcess ? `; ${processOf(profile)} gives none of it` : '')
}

function findAccessKeyId(places: Places): Found | undefined {
  const { context } = places
  const own = findSetting('accessKeyId', { ...places, profile: undefined })
  if (own) return own
  const saved = findSetting('accessKeyId', places)
  // A secret of our own variable belongs to the key of the profile.
  const hasOwnSecret = variable(context, ownSecret) !== undefined
  // A profile that a flag names comes with its key.
  if (saved && (places.options.profile !== undefined || hasOwnSecret)) return saved
  const value = variable(context, 'AWS_ACCESS_KEY_ID')
  // In the shell where S3 tools use the proxy, it has the proxy's pair, which the service does not know.
  const isOfProxy = value === variable(context, 'SVC_AUTH_PROXY_ACCESS_KEY_ID')
  if (value === undefined || isOfProxy || value.startsWith(proxyKeyPrefix)) return saved
  const isOther = saved !== undefined && saved.value !== value
  return {
    value,
    source: `AWS_ACCESS_KEY_ID${isOther ? `, in place of ${saved.value} of ${saved.source}` : ''}`,
  }
}

function keyInVariables(
  accessKeyId: Found | undefined,
  context: CommandContext,
): SecretPlace<ApiKey> | undefined {
  const { value: id, source } = accessKeyId ?? { value: '', source: 'a credential_process' }
  for (const prefix of ['SVC_AUTH', 'AWS'] as const) {
    const named = variable(context, `${prefix}_ACCESS_KEY_ID`)
    const secretAccessKey = variable(context, `${prefix}_SECRET_ACCESS_KEY`)
    if (secretAccessKey === undefined) continue
    const isAlone = named === undefined && prefix === 'SVC_AUTH'
    // Otherwise another key would sign, and the secret be lost unseen.
    if (isAlone && (id === '' || source.startsWith('AWS_'))) {
      throw new UsageError(
        `${ownSecret} is not used, since ${source} names the key: set ${ownId} beside it, or neither`,
      )
    }
    if (named !== id && !isAlone) continue
    const sessionToken = variable(context, `${prefix}_SESSION_TOKEN`)
    const key = { accessKeyId: id, secretAccessKey, sessionToken }
    return { source: `${prefix}_SECRET_ACCESS_KEY`, read: async () => key }
  }
  return undefined
}

function printedKey(printed: ProcessCredentials, id: string | undefined, source: string): ApiKey {
  const { accessKeyId = id, secretAccessKey = '', sessionToken, expiresAt } = printed
  if (accessKeyId === undefined) throw new UsageError(`${source} printed no AccessKeyId`)
  if (id !== undefined && accessKeyId !== id) {
    throw new UsageError(`${source} printed the key ${accessKeyId}, and not ${id}`)
  }
  return { accessKeyId, secretAccessKey, sessionToken, expiresAt }
}

/** The places of the secret of a key, for the help. */
export const secretPlaces: string = `The secret of the key: $${ownSecret}, then the credential_process, then the keyring.`

/** Says how to give the secret of a key on this system. */
export async function secretRemedy(context: CommandContext): Promise<string> {
  const keyring = await context.platform.openKeyring()
  const inKeyring = keyring ? ', keep it in the keyring (`svc-auth profile add`)' : ''
  return `set ${ownSecret}${inKeyring}, or give the profile a credential_process`
}

/** Says that the secret of a key is missing, and how to give it. */
export async function missingSecret(
  { accessKeyId, hint }: ConfiguredKey,
  context: CommandContext,
): Promise<UsageError> {
  const remedy = await secretRemedy(context)
  const what = accessKeyId
    ? `secret of the access key ${accessKeyId.value} (from ${accessKeyId.source}):`
    : `access key: set ${ownId}, and`
  return new UsageError(`no ${what} ${remedy}${hint}`)
}

/** Returns the name that the secret of a key has in the keyring. */
export function secretAccount(baseUrl: string, accessKeyId: string): string {
  return JSON.stringify(['secret access key', baseUrl, accessKeyId])
}
