import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AuthError } from '@svc/auth-hooks'
import {
  createSessionAuth,
  createTokenAuth,
  type LoginResult,
  type TokenAuth,
} from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import type { Fetch } from '@svc/types'
import { type ConfiguredUser, passwordRemedy } from '../configuration/configured-user.ts'
import { sessionsFolder } from '../configuration/folders.ts'
import { createPrivateFile, readPrivateFile } from '../configuration/private-file.ts'
import type { SecretPlace } from '../configuration/settings.ts'
import type { CommandContext } from '../context.ts'
import { errorCode } from '../exit.ts'
import { watchLocks } from './lock-watch.ts'

/** A session of the user, which all commands share. */
export interface UserSession {
  readonly auth: TokenAuth
  /**
   * Logs in, if there is no token or `anew`, and resolves to the instant at which the token expires, as far as it is
   * known. A login anew that fails leaves the session as it is.
   */
  logIn(anew?: 'anew'): Promise<number | undefined>
  /** Resolves to the instant at which the token that is kept expires; `undefined` if there is none. Sends nothing. */
  expiresAt(): Promise<number | undefined>
  /** Waits for the end of a login that is under way, and forgets a session that is over. */
  close(): Promise<void>
}

/** Settings of a session. */
export interface UserSessionSettings {
  readonly baseUrl: string
  readonly user: ConfiguredUser
  readonly fetch: Fetch
  readonly context: CommandContext
  /** `true` if http may be spoken beyond this machine. */
  readonly allowsInsecureHttp: boolean
  /** `false` for one that only looks for a token that is there. */
  readonly mayLogIn: boolean
}

/** The time that somebody has to type a password. */
const promptMs = 5 * 60_000

/**
 * Opens the session of a user. Its record is sealed with a random key instead of the password, so that a command
 * without the password can use the token of one that had it.
 */
export async function openUserSession(settings: UserSessionSettings): Promise<UserSession> {
  const { baseUrl, user, context } = settings
  const { folder, key } = await findRecord(
    baseUrl,
    user.username.value,
    user.parentUid?.value,
    context,
  )
  const place = settings.mayLogIn ? await user.find() : undefined
  const { clock } = context
  /** `true` once the service refused the token that was kept, or it ended, and there is no other one. */
  let isOver = false
  let keepsToken = false
  let login: Promise<unknown> | undefined
  const locks = watchLocks(fileTokenStore({ path: folder, clock }))
  const auth = createSessionAuth<{ readonly sealingKey: string }>({
    name: 'token',
    baseUrl,
    credentials: async () => ({ sealingKey: await key.read() }),
    keyOf: ({ sealingKey: text }) => text,
    login: ({ signal }) => {
      isOver = !place && settings.mayLogIn
      const own = logIn(settings, place, refusalsOf(folder), signal)
      login = own.catch((error: unknown) => {
        const isRefused = errorCode(error) === 'ERR_AUTH_LOGIN_FAILED'
        isOver ||= isRefused && !keepsToken && auth.inspect().state !== 'valid'
      })
      return own
    },
    headers: (token) => ({ 'x-svc-security-token': token, 'x-svc-route-token': 'login' }),
    store: locks.store,
    // Nobody wants to be asked while the token is still good.
    ...((!place || place.isPrompt) && { renewBeforeMs: 0 }),
    ...(place?.isPrompt && { loginTimeoutMs: promptMs }),
    fetch: settings.fetch,
    allowInsecureHttp: settings.allowsInsecureHttp,
    clock,
  })
  const logInNow = async (anew?: 'anew'): Promise<number | undefined> => {
    await auth.getToken({ signal: context.signal })
    if (anew) {
      // Only the token that a session has taken from its record can be given up.
      keepsToken = true
      await auth.invalidate()
      await auth.getToken({ signal: context.signal })
    }
    return auth.inspect().expiresAt
  }
  return {
    auth,
    logIn: logInNow,
    async expiresAt() {
      const expiresAt = await logInNow().catch(() => undefined)
      await locks.unlocked()
      return expiresAt
    },
    async close() {
      await login
      await locks.unlocked()
      // Otherwise the next command would take it for good again.
      if (isOver) await key.remove()
    },
  }
}

/** Finds the folder of a user's session, and the key of its record. */
async function findRecord(
  baseUrl: string,
  username: string,
  parentUid: string | undefined,
  context: CommandContext,
): Promise<{ readonly folder: string; readonly key: SealingKey }> {
  const account = JSON.stringify(['session', baseUrl, username, parentUid ?? null])
  const name = createHash('sha256').update(account).digest('hex').slice(0, 32)
  const folder = join(await sessionsFolder(context), name)
  return { folder, key: sealingKey(folder, account, context) }
}

/** Forgets the session of a user on this machine, and the refusals of passwords. Sends nothing. */
export async function forgetSession(...record: Parameters<typeof findRecord>): Promise<void> {
  const { folder, key } = await findRecord(...record)
  await key.remove()
  await removeFolder(refusalsOf(folder))
}

/** Returns the folder of the refusals of an account, which outlast a session that is over. */
function refusalsOf(folder: string): string {
  return `${folder}.refused`
}

async function logIn(
  { baseUrl, user, context, mayLogIn, ...settings }: UserSessionSettings,
  place: SecretPlace<string> | undefined,
  refusals: string,
  signal: AbortSignal | undefined,
): Promise<LoginResult> {
  if (!place) {
    const remedy = mayLogIn ? `: ${passwordRemedy(context)}` : ''
    const text = `[@svc/cli] ${user.username.value} is not logged in${remedy}`
    throw new AuthError('ERR_AUTH_CREDENTIALS', text)
  }
  const { clock } = context
  // Its record, which is sealed with the password, keeps the refusals of this very password.
  const locks = watchLocks(fileTokenStore({ path: refusals, clock }))
  let isSent = false
  // The login of the service, with its checks and messages; the session around it keeps the token.
  const login = createTokenAuth({
    baseUrl,
    credentials: {
      username: user.username.value,
      password: await place.read(),
      ...(user.parentUid && { parentUid: user.parentUid.value }),
    },
    session: 'own',
    store: locks.store,
    fetch: (...request) => {
      isSent = true
      return settings.fetch(...request)
    },
    allowInsecureHttp: settings.allowsInsecureHttp,
    clock,
  })
  try {
    const token = await login.getToken({ signal })
    const { expiresAt } = login.inspect()
    await locks.unlocked()
    await removeFolder(refusals)
    return { token, ...(expiresAt !== undefined && { expiresAt }) }
  } catch (cause) {
    if (!AuthError.is(cause) || cause.code !== 'ERR_AUTH_LOGIN_REFUSED') throw cause
    const { message, status, serverMessage, retryAt } = cause
    const text = isSent
      ? message
      : `[@svc/cli] nothing was sent to ${baseUrl}, since the last login with this password was refused with status ${status}`
    // To the session around it, whose record knows no password, it is a failure that passes: another password is tried.
    throw new AuthError('ERR_AUTH_LOGIN_FAILED', text, { cause, serverMessage, retryAt })
  } finally {
    await locks.unlocked()
  }
}

/** The random key that the record of a session is sealed with. */
export interface SealingKey {
  /** Resolves to the key, which is made where there is none. */
  read(): Promise<string>
  /** Forgets it. Nobody can open the record any more. */
  remove(): Promise<void>
}

/**
 * Keeps the key of a session in the keyring, or in a file beside its record where there is no keyring.
 *
 * @param account - Tells the session from others in the keyring.
 */
export function sealingKey(folder: string, account: string, context: CommandContext): SealingKey {
  const file = join(folder, 'key')
  const find = async (): Promise<string | undefined> =>
    (await context.openKeyring())?.get(account) ?? readPrivateFile(file, context)
  const create = async (): Promise<string> => {
    const made = `random-key:${randomBytes(32).toString('base64url')}`
    const keyring = await context.openKeyring()
    if (keyring) keyring.set(account, made)
    else {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await createPrivateFile(file, made)
    }
    // Another process may have done the same: one of the two counts for both.
    return (await find()) ?? made
  }
  return {
    read: async () => (await find()) ?? create(),
    async remove() {
      ;(await context.openKeyring())?.remove(account)
      await removeFolder(folder)
    },
  }
}

export async function removeFolder(folder: string): Promise<void> {
  // Another command may be writing there at this moment.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
}
