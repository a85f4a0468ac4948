/// <reference types="node" />
import { dirname, join } from 'node:path'
import type { Platform } from './platform.ts'
import { ignoreCodes, syncFolder, writePrivateFile } from './private-files.ts'
import { renameClaimed } from './windows.ts'

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
  /** Text of a new file. */
  readonly text?: string | undefined
  /** Returns the state that names the new file. */
  readonly next?: (newFile: string) => FileState
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
// Up to 15 digits are exact as a number, and so is the one that follows.
const number = '(0|[1-9][0-9]{0,14})'
const stateName = `state\\.${number}\\.(none|${uuid})\\.${number}\\.(none|${uuid})`
const statePattern = new RegExp(`^${stateName}$`)
/** The name of any file of this module, claims on Windows among them. */
const filePattern = new RegExp(`^(?:${uuid}|${stateName}(?:\\.claim\\.[1-9][0-9]{0,2})?)$`)

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
    const { result, text, next } = await decide(listing?.state ?? emptyState)
    if (!next) return result
    if (!listing) {
      await create(platform, folder)
      continue
    }
    if (await replace(platform, folder, listing, text, next)) return result
  }
  throw new Error(`[@svc/auth-token] ${folder} cannot be updated: if this persists, remove it`)
}

async function list({ files }: Platform, folder: string): Promise<Listing | undefined> {
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
    if (latest) return { ...latest, files: names.filter((name) => filePattern.test(name)) }
  }
  return undefined
}

/** Replaces a state and removes its files. Resolves to `false` if another was faster. */
async function replace(
  platform: Platform,
  folder: string,
  listing: Listing,
  text: string | undefined,
  next: (newFile: string) => FileState,
): Promise<boolean> {
  // Made anew in each attempt: the files of a state that is replaced are removed.
  const newFile = crypto.randomUUID()
  const state = next(newFile)
  const { files, isPosix } = platform
  const remove = (file: string): Promise<void> => files.unlink(join(folder, file)).catch(() => {})
  const [from, to] = [join(folder, listing.name), join(folder, nameOf(state))]
  if (text !== undefined) await writePrivateFile(platform, join(folder, newFile), text)
  let isReplaced = false
  try {
    if (!isPosix) isReplaced = await renameClaimed(platform, from, to)
    else isReplaced = await files.rename(from, to).then(() => true)
  } catch (error) {
    ignoreCodes('ENOENT')(error)
  } finally {
    if (!isReplaced) await remove(newFile)
  }
  if (!isReplaced) return false
  // On the disk before the old files go, so that a failure of power leaves the one state or the other.
  await syncFolder(platform, folder)
  // A file is made after the state was read that it is to change. So those that were there with the
  // state that is no more are of no use to any writer, however slow, but for the two that are named.
  const used = new Set([nameOf(state), state.recordFile, state.lockFile])
  await Promise.all(listing.files.filter((file) => !used.has(file)).map(remove))
  return true
}

/**
 * Makes a folder with the empty state if there is none. A folder that holds a file is never
 * replaced by a rename, and none is ever without its state: so this happens once.
 */
async function create(platform: Platform, folder: string): Promise<void> {
  const { files } = platform
  const unfinished = `${folder}.${crypto.randomUUID()}`
  const state = join(unfinished, nameOf(emptyState))
  await files.mkdir(unfinished, { mode: 0o700 })
  try {
    await writePrivateFile(platform, state, '')
    await files.rename(unfinished, folder)
  } catch (error) {
    await files.unlink(state).catch(() => {})
    await files.rmdir(unfinished).catch(() => {})
    // Another was faster.
    ignoreCodes('EEXIST', 'ENOTEMPTY')(error)
    return
  }
  await syncFolder(platform, dirname(folder))
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
