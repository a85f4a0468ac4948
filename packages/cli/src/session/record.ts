import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SharedTokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { createPrivateFile, isMissing, readPrivateFile } from '../platform/private-file.ts'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'
import { privateModes } from '../platform/platform.ts'

// Where a record is, the locks of its store are watched: one file has both.
export { watchLocks } from './lock-watch.ts'

/** The record of a session, of which nothing is made before it is asked for. */
export interface SessionRecord {
  /** Its folder; empty for one in memory. */
  readonly path: string
  /** Opens the store of the token. */
  openStore(): SharedTokenStore
  /** Opens the store of the refusals of passwords, which outlast a session that is over. */
  openRefusals(): SharedTokenStore
  /** Resolves to the random key that the record is sealed with, which is made where there is none. */
  readKey(): Promise<string>
  /** Forgets the key. Nobody can open the record any more. */
  forget(): Promise<void>
  forgetRefusals(): Promise<void>
}

/** Finds the record of an account: its key is in the keyring or, where there is none, in a file beside it. */
export async function findRecord(
  parts: readonly (string | undefined)[],
  context: CommandContext,
): Promise<SessionRecord> {
  const account = JSON.stringify(['session', ...parts.map((part) => part ?? null)])
  const name = createHash('sha256').update(account).digest('hex').slice(0, 32)
  const path = join(await context.platform.sessionsFolder(), name)
  const { clock } = context
  const file = join(path, 'key')
  const find = async (): Promise<string | undefined> =>
    (await context.platform.openKeyring())?.get(account) ?? readPrivateFile(file, context)
  const create = async (): Promise<string> => {
    const made = newKey()
    const keyring = await context.platform.openKeyring()
    if (keyring) keyring.set(account, made)
    else {
      await mkdir(path, { recursive: true, mode: privateModes.folder })
      await createPrivateFile(file, made)
    }
    // Another process may have done the same: one of the two counts for both.
    return (await find()) ?? made
  }
  return {
    path,
    openStore: () => fileTokenStore({ path, clock }),
    openRefusals: () => fileTokenStore({ path: `${path}.refused`, clock }),
    readKey: async () => (await find()) ?? create(),
    async forget() {
      ;(await context.platform.openKeyring())?.remove(account)
      await removeFolder(path)
    },
    forgetRefusals: () => removeFolder(`${path}.refused`),
  }
}

/** Makes a record that ends with this process. */
export async function createMemoryRecord(clock: () => number): Promise<SessionRecord> {
  const { memoryTokenStore } = await import('@svc/auth-token/memory-store')
  const [store, key] = [memoryTokenStore(clock), newKey()]
  const open = (): SharedTokenStore => store
  const forget = async (): Promise<void> => {}
  const readKey = async (): Promise<string> => key
  const own = { openStore: open, openRefusals: open, readKey }
  return { path: '', ...own, forget, forgetRefusals: forget }
}

/** Resolves to why a record cannot be kept on this machine, with the remedy; `undefined` if it can, and has its key. */
export async function whyUnkept(
  record: SessionRecord,
  context: CommandContext,
): Promise<string | undefined> {
  try {
    record.openStore()
    await record.readKey()
    return undefined
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { message, cause = error } = Object(error) as Error
    const reason = Object(cause).code
      ? `${await context.platform.sessionsFolder()} cannot be written (${errorCode(cause)})`
      : // Without what the store is called in a program.
        message.replace(/^\[@svc\/[\w-]+\] \w+: path must be /, 'it needs ')
    const remedy = `set ${context.platform.folderVariable('state')} to a folder that you can write to`
    return `no session is kept, since ${reason}; ${remedy}`
  }
}

function newKey(): string {
  return `random-key:${randomBytes(32).toString('base64url')}`
}

export async function removeFolder(path: string): Promise<void> {
  try {
    // Another command may be writing there at this moment.
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
