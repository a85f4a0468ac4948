import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SharedTokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { folderVariable, sessionsFolder } from '../configuration/folders.ts'
import { createPrivateFile, isMissing, readPrivateFile } from '../configuration/private-file.ts'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'

/** The record of a session, and what belongs to it. */
export interface SessionRecord {
  readonly store: SharedTokenStore
  /** Resolves to the random key that the record is sealed with, which is made where there is none. */
  readKey(): Promise<string>
  /** Forgets the key. Nobody can open the record any more. */
  forget(): Promise<void>
  /** Opens the store of the refusals of passwords, which outlast a session that is over. */
  openRefusals(): SharedTokenStore
  forgetRefusals(): Promise<void>
}

/** Says that this machine has no place for a record that is kept, and how to give it one. */
export class UnkeptSession extends UsageError {}

/** The place of a user's record, in which nothing is made or opened yet. */
export interface RecordPlace {
  /**
   * Opens the record, and makes its key where there is none.
   *
   * @throws UnkeptSession if it cannot be kept there; UsageError if others can read its key.
   */
  open(): Promise<SessionRecord>
  /** Forgets the session on this machine, and the refusals of passwords. Sends nothing. */
  forget(): Promise<void>
}

/** Finds the place of a user's record: a key in the keyring or, without one, in a file beside it. */
export async function findRecord(
  baseUrl: string,
  username: string,
  parentUid: string | undefined,
  context: CommandContext,
): Promise<RecordPlace> {
  const account = JSON.stringify(['session', baseUrl, username, parentUid ?? null])
  const name = createHash('sha256').update(account).digest('hex').slice(0, 32)
  const path = join(await sessionsFolder(context), name)
  const refusals = `${path}.refused`
  const { clock } = context
  const file = join(path, 'key')
  const findKey = async (): Promise<string | undefined> =>
    (await context.openKeyring())?.get(account) ?? readPrivateFile(file, context)
  const createKey = async (): Promise<string> => {
    const made = newKey()
    const keyring = await context.openKeyring()
    if (keyring) keyring.set(account, made)
    else {
      await mkdir(path, { recursive: true, mode: 0o700 })
      await createPrivateFile(file, made)
    }
    // Another process may have done the same: one of the two counts for both.
    return (await findKey()) ?? made
  }
  const forget = async (): Promise<void> => {
    ;(await context.openKeyring())?.remove(account)
    await removeFolder(path)
  }
  const record = {
    readKey: async () => (await findKey()) ?? createKey(),
    forget,
    openRefusals: () => fileTokenStore({ path: refusals, clock }),
    forgetRefusals: () => removeFolder(refusals),
  }
  return {
    async open() {
      try {
        const store = fileTokenStore({ path, clock })
        await record.readKey()
        return { ...record, store }
      } catch (error) {
        throw error instanceof UsageError ? error : unkept(error, path, context)
      }
    },
    async forget() {
      await forget()
      await removeFolder(refusals)
    },
  }
}

/** Makes a record that ends with this process. */
export async function createMemoryRecord(clock: () => number): Promise<SessionRecord> {
  const { memoryTokenStore } = await import('@svc/auth-token/memory-store')
  const [store, key] = [memoryTokenStore(clock), newKey()]
  const nothing = async (): Promise<void> => {}
  const readKey = async (): Promise<string> => key
  return { store, readKey, forget: nothing, openRefusals: () => store, forgetRefusals: nothing }
}

function newKey(): string {
  return `random-key:${randomBytes(32).toString('base64url')}`
}

function unkept(error: unknown, path: string, context: CommandContext): UnkeptSession {
  const { message, cause = error } = Object(error) as Error
  const isOfSystem = Object(cause).code !== undefined
  const reason = isOfSystem
    ? `${dirname(path)} cannot be written (${errorCode(cause)})`
    : // Such as `run chmod 700 /folder`, behind what the store is called in a program.
      message.replace(/^\[@svc\/[\w-]+\] \w+: [^:]*: /, '')
  const remedy = `set ${folderVariable('state', context)} to a folder that you can write to`
  return new UnkeptSession(`no session is kept, since ${reason}: ${remedy}`, { cause })
}

async function removeFolder(path: string): Promise<void> {
  try {
    // Another command may be writing there at this moment.
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
