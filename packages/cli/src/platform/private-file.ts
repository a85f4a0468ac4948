import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rename, rm, writeFile } from 'node:fs/promises'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'
import { privateModes } from './platform.ts'

/** Reads a file that only this user may read and write, and refuses any other. Resolves to `undefined` without one. */
export async function readPrivateFile(
  path: string,
  { platform }: Pick<CommandContext, 'platform'>,
): Promise<string | undefined> {
  // A pipe of that name would be waited for.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (!file) return undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new UsageError(`${path} is no file`)
    const users = platform.usersOf(stats)
    if (users === 'another user') throw new UsageError(`${path} belongs to another user`)
    if (users === 'others too') {
      throw new UsageError(`others can read or change ${path}: run chmod 600 "${path}"`)
    }
    return (await file.readFile('utf8')).replace(/^\uFEFF/, '')
  } finally {
    await file.close()
  }
}

/** Writes a whole file that only this user may read: it replaces another, or nothing changes. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await putPrivateFile(path, text, rename)
}

/** Makes such a file, unless there is one already. */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  await putPrivateFile(path, text, link).catch(async (error: unknown) => {
    // Some file systems have no links.
    if (errorCode(error) !== 'EEXIST') await writePrivateFile(path, text)
  })
}

async function putPrivateFile(path: string, text: string, put: typeof rename): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`
  try {
    await writeFile(unfinished, text, { flag: 'wx', mode: privateModes.file, flush: true })
    await put(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Tells if an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error))
}
