import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { AuthError } from '@svc/auth-hooks'
import { createSessionAuth, type TokenAuth } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import {
  deviceCode,
  type DevicePrompt,
  loopback,
  openBrowser,
  type SignInTokenOptions,
} from '@svc/auth-token/sign-in'
import type { Fetch } from '@svc/types'
import { type OAuthClient, signInParts } from '../configuration/oauth-client.ts'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'
import { findRecord, removeFolder, type SessionRecord, watchLocks, whyUnkept } from './record.ts'
import type { UserSession } from './session.ts'

/** The way in which a command asks the user. */
export type SignInWay = 'device' | 'browser'

/** A service whose users sign in by OAuth. */
export interface SignInConfiguration {
  readonly client: OAuthClient
  /** Absent for a command that asks nobody. */
  readonly way?: SignInWay | undefined
  /** `true` asks although there is a sign-in, which stays where the new one fails. */
  readonly isAnew?: boolean | undefined
}

interface SignInSettings {
  readonly baseUrl: string
  readonly signIn: SignInConfiguration
  readonly fetch: Fetch
  readonly context: CommandContext
  readonly allowsInsecureHttp: boolean
}

/** Opens the sign-in of a profile, which all commands share. Its record is sealed with a random key. */
export async function openSignIn(settings: SignInSettings): Promise<UserSession> {
  const { baseUrl, signIn, context } = settings
  const { clock } = context
  const record = await findSignIn(baseUrl, signIn.client, context)
  const unkept = await whyUnkept(record, context)
  if (unkept !== undefined) throw new UsageError(unkept)
  const path = signIn.isAnew ? `${record.path}.new` : record.path
  if (signIn.isAnew) await removeFolder(path)
  const sealedWith = await record.readKey()
  const asked = { byThis: false }
  const locks = watchLocks(async () => fileTokenStore({ path, clock }))
  const auth = createSessionAuth({
    name: 'sign-in',
    baseUrl,
    ...refreshToken(optionsOf(settings, sealedWith, () => (asked.byThis = true))),
    store: locks.store,
    fetch: settings.fetch,
    allowInsecureHttp: settings.allowsInsecureHttp,
    clock,
  })
  const { signal } = context
  const logInNow = async (): Promise<number | undefined> => {
    await auth.getToken({ signal }).catch(async (error: unknown) => {
      // Whoever types this command wants to be asked, although they denied it or were late a moment ago.
      const isPause = errorCode(error).startsWith('ERR_AUTH_SIGN_IN_') && !asked.byThis
      if (!signIn.way || !isPause) throw error
      await auth.invalidate()
      await auth.getToken({ signal })
    })
    await locks.unlocked()
    return auth.inspect().expiresAt
  }
  const logIn = (): ReturnType<typeof logInNow> => told(logInNow(), signIn)
  return {
    auth: inShell(auth, signIn),
    async logIn() {
      const expiresAt = await logIn()
      if (signIn.isAnew) await moveFolder(path, record.path)
      return expiresAt
    },
    expiresAt: () => logIn().catch(() => undefined),
    whyUnkept: async () => undefined,
    async close() {
      await locks.unlocked()
      if (signIn.isAnew) await removeFolder(path)
    },
  }
}

/** Returns a session whose errors say what to do in a shell. */
function inShell(auth: TokenAuth, signIn: SignInConfiguration): TokenAuth {
  return {
    ...auth,
    getToken: (options) => told(auth.getToken(options), signIn),
    authorize(request) {
      const given = auth.authorize(request)
      return given instanceof Promise ? told(given, signIn) : given
    },
    prepare: (request) => told(Promise.resolve(auth.prepare?.(request)), signIn),
  }
}

/**
 * Has a promise that fails for want of a sign-in say what to do in a shell: nothing there waits for the end of a pause,
 * and the next `login` asks at once.
 */
function told<Result>(
  promise: Promise<Result>,
  { client, way }: SignInConfiguration,
): Promise<Result> {
  return promise.catch((error: unknown) => {
    if (!AuthError.is(error) || !error.code.startsWith('ERR_AUTH_SIGN_IN_')) throw error
    const { code, message, status, serverMessage } = error
    const own = message.replace(/; invalidate\(\) asks anew|; not retried before [\dT:.Z-]+/g, '')
    const isScopeless = client.issuer !== undefined && client.scope === undefined
    const isDenied = code === 'ERR_AUTH_SIGN_IN_DENIED'
    const scope = isDenied && isScopeless ? '; no scope was asked: --scope' : ''
    const isTold = way !== undefined || own.includes('svc-auth login')
    const remedy = isTold ? '' : '; run `svc-auth login --device` or --browser'
    throw new AuthError(code, own + scope + remedy, { status, serverMessage })
  })
}

function optionsOf(
  { baseUrl, signIn: { client, way }, context }: SignInSettings,
  sealedWith: string,
  onAsked: () => void,
): SignInTokenOptions {
  const { stderr } = context
  const common = {
    ...client,
    sealedWith,
    clientName: 'svc-auth',
    onWait: () => stderr.write('Another command asks you to sign in; waiting for it\n'),
  }
  if (way === 'browser') {
    const open = async (url: string): Promise<void> => {
      onAsked()
      stderr.write(`Sign in in the browser. If none opens, use --device, or open\n${url}\n`)
      // The address is there to be opened by hand.
      await openBrowser(url).catch(() => {})
    }
    return loopback({ ...common, open, signal: context.signal })
  }
  const show = ({ verificationUri, userCode }: DevicePrompt): void => {
    onAsked()
    stderr.write(`Open ${verificationUri} and enter ${userCode}\n`)
  }
  if (way) return deviceCode({ ...common, show, signal: context.signal })
  const what = `nobody is signed in to ${baseUrl}: run \`svc-auth login --browser\`, or --device`
  // It goes on with a sign-in, and asks nobody: a script would wait for minutes.
  const nobody = AbortSignal.abort(new AuthError('ERR_AUTH_SIGN_IN_NEEDED', `[@svc/cli] ${what}`))
  return deviceCode({ ...common, show, signal: nobody })
}

/** Finds the record of a sign-in. */
async function findSignIn(
  baseUrl: string,
  client: OAuthClient,
  context: CommandContext,
): Promise<SessionRecord> {
  return findRecord([baseUrl, 'oauth', ...signInParts(client)], context)
}

/** Forgets a sign-in on this machine. Sends nothing. */
export async function forgetSignIn(...sought: Parameters<typeof findSignIn>): Promise<void> {
  await (await findSignIn(...sought)).forget()
}

/** Puts the records of a new sign-in in the place of the old ones, and leaves the key that lies beside them. */
async function moveFolder(from: string, to: string): Promise<void> {
  const { readdir } = await import('node:fs/promises')
  for (const name of await readdir(from)) {
    await removeFolder(join(to, name))
    await rename(join(from, name), join(to, name))
  }
}
