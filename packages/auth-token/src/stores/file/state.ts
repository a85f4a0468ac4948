/// <reference types="node" />
import { dirname, join } from 'node:path'
import { isBusy, type Platform } from './platform.ts'
import {
  changeFolder,
  directoryError,
  ignoreCodes,
  removeFile,
  writePrivateFile,
} from './private-files.ts'
import { claimPattern, renameOnce } from './rename-once.ts'

/**
 * The entry of one key, as numbers and as names of files beside it.
 *
 * It is itself the name of an empty file, and changes by the renaming of that file. A rename gives
 * one name to one caller, and no name comes twice, so that it is a compare-and-swap between processes
 * without a mutex, whose owner might die, and of record and lock in one step. Linking a file to the
 * next free number would not do: whoever comes late can link one that was used and swept meanwhile,
 * and cannot tell this from having been first and overtaken.
 */
export interface FileState {
  readonly generation: number
  /** The file of the record. */
  readonly recordFile: string | undefined
  /** The number of the last lock that was given. */
  readonly fencingToken: number
  /** The file that tells who holds the lock; `undefined` if it was freed. */
  readonly lockFile: string | undefined
}

/** A change of a state, or a result that leaves it as it is. */
export interface StateChange<Result> {
  readonly result: Result
  readonly change?: {
    /** Text of a new file. */
    readonly text?: string | undefined
    /** Returns the state that names the new file. */
    next(newFile: string): FileState
  }
}

interface Listing {
  readonly state: FileState
  readonly name: string
  /** The files of this module that were there with it. */
  readonly files: readonly string[]
}

const emptyState: FileState = {
  generation: 0,
  recordFile: undefined,
  fencingToken: 0,
  lockFile: undefined,
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const filePattern = new RegExp(`^${uuid}$`)
// Up to 15 digits are exact as a number, and so is the one that follows.
const number = '(0|[1-9][0-9]{0,14})'
const stateName = `state\\.${number}\\.(none|${uuid})\\.${number}\\.(none|${uuid})`
const statePattern = new RegExp(`^${stateName}$`)
const stateClaimPattern = new RegExp(`^${stateName}${claimPattern}$`)
const unfinishedPattern = new RegExp(`^[0-9a-f]{64}\\.${uuid}$`)

const unfinishedForMs = 60 * 60 * 1000
const mostAttempts = 1000
const mostLooks = 5

/** Reads the state from the folder of a key. */
export async function readState(platform: Platform, folder: string): Promise<FileState> {
  return (await list(platform, folder))?.state ?? emptyState
}

/** Changes the state as it is; again from the start if another was faster. */
export async function changeState<Result>(
  platform: Platform,
  folder: string,
  decide: (state: FileState) => Promise<StateChange<Result>>,
): Promise<Result> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const listing = await list(platform, folder)
    const { result, change } = await decide(listing?.state ?? emptyState)
    if (!change) return result
    if (!listing) {
      await create(platform, folder)
      continue
    }
    // Made anew in each attempt: `sweep` removes what is older than the state that is replaced.
    const newFile = crypto.randomUUID()
    const path = join(folder, newFile)
    const next = change.next(newFile)
    let isReplaced = false
    try {
      if (change.text !== undefined) await writePrivateFile(platform, path, change.text)
      // On the disk before the old files go, so that a failure of power leaves the one state or the other.
      await changeFolder(platform, folder, async () => {
        const to = join(folder, nameOf(next))
        isReplaced = await renameOnce(platform, join(folder, listing.name), to)
      })
    } finally {
      // A state that could not be flushed names its file all the same.
      if (!isReplaced && change.text !== undefined) await removeFile(platform, path)
    }
    if (!isReplaced) continue
    await sweep(platform, folder, listing, next)
    return result
  }
  throw new Error(`[@svc/auth-token] ${folder} cannot be updated: if this persists, remove it`)
}

async function list(platform: Platform, folder: string): Promise<Listing | undefined> {
  const { files } = platform
  const stats = await files.lstat(folder).catch(ignoreCodes('ENOENT'))
  if (!stats?.isDirectory()) return undefined
  const error = directoryError(platform, stats, folder)
  if (error) throw new Error(`[@svc/auth-token] ${folder} ${error}`)

  // A listing that a rename crosses may show neither name, though not on every disk.
  for (let look = 0; look < mostLooks; look += 1) {
    const names = await files.readdir(folder).catch(ignoreCodes('ENOENT', 'ENOTDIR'))
    if (!names) return undefined
    // There is one, but where someone put the files of two times into one folder.
    const [latest] = names
      .flatMap((name) => {
        const state = parse(name)
        return state ? [{ state, name }] : []
      })
      .sort((one, other) => age(other.state) - age(one.state))
    if (latest) return { ...latest, files: names.filter((name) => isOurs(name)) }
  }
  return undefined
}

/** Removes the files of a state that was replaced. */
async function sweep(
  platform: Platform,
  folder: string,
  listing: Listing,
  next: FileState,
): Promise<void> {
  // A file is made after the state was read that it is to change. So those that were there with the
  // state that is no more are of no use to any writer, however slow, but for the two that are named.
  const used = new Set([nameOf(next), next.recordFile, next.lockFile])
  const unused = listing.files.filter((file) => !used.has(file))
  await Promise.all(unused.map((file) => removeFile(platform, join(folder, file))))
}

/**
 * Makes a folder with the empty state if there is none. A folder that holds a file is never
 * replaced by a rename, and none is ever without its state: so this happens once.
 */
async function create(platform: Platform, folder: string): Promise<void> {
  const { files } = platform
  const unfinished = `${folder}.${crypto.randomUUID()}`
  await files.mkdir(unfinished, { mode: 0o700 })
  try {
    await writePrivateFile(platform, join(unfinished, nameOf(emptyState)), '')
    await changeFolder(platform, dirname(folder), () => files.rename(unfinished, folder))
  } catch (error) {
    await removeUnfinished(platform, unfinished)
    const wasThere = await removeWrong(platform, folder)
    // Windows says EPERM for a folder that is there, and so it does where a file in ours is open.
    const isTaken = wasThere && isBusy(error, platform.rules)
    if (!isTaken) ignoreCodes('EEXIST', 'ENOTEMPTY', 'ENOTDIR')(error)
    return
  }
  await sweepUnfinished(platform, folder)
}

/** Removes a file or an empty folder; one with a state is not touched. Tells if there was anything. */
async function removeWrong(platform: Platform, folder: string): Promise<boolean> {
  const { files } = platform
  const stats = await files.lstat(folder).catch(ignoreCodes('ENOENT'))
  if (!stats) return false
  if (stats.isDirectory()) await files.rmdir(folder).catch(() => {})
  else await removeFile(platform, folder)
  return true
}

/** Removes leftovers of processes that were killed in `create`. */
async function sweepUnfinished(platform: Platform, folder: string): Promise<void> {
  const { files } = platform
  const parent = dirname(folder)
  try {
    const { mtimeMs } = await files.lstat(folder)
    for (const name of await files.readdir(parent)) {
      if (!unfinishedPattern.test(name)) continue
      const path = join(parent, name)
      const stats = await files.lstat(path)
      if (stats.mtimeMs < mtimeMs - unfinishedForMs) await removeUnfinished(platform, path)
    }
  } catch {
    // Another process sweeps too.
  }
}

async function removeUnfinished(platform: Platform, path: string): Promise<void> {
  await removeFile(platform, join(path, nameOf(emptyState)))
  await platform.files.rmdir(path).catch(() => {})
}

function nameOf({ generation, recordFile, fencingToken, lockFile }: FileState): string {
  return ['state', generation, recordFile ?? 'none', fencingToken, lockFile ?? 'none'].join('.')
}

function parse(name: string): FileState | undefined {
  const [, generation, recordFile, fencingToken, lockFile] = statePattern.exec(name) ?? []
  if (generation === undefined) return undefined
  return {
    generation: Number(generation),
    recordFile: recordFile === 'none' ? undefined : recordFile,
    fencingToken: Number(fencingToken),
    lockFile: lockFile === 'none' ? undefined : lockFile,
  }
}

/** Returns a number that grows with every change of a state, since neither of its numbers ever falls. */
function age({ generation, fencingToken }: FileState): number {
  return generation + fencingToken
}

function isOurs(name: string): boolean {
  return [filePattern, statePattern, stateClaimPattern].some((pattern) => pattern.test(name))
}
