/// <reference types="node" />
import { dirname, join } from 'node:path'
import { ignoreCodes, syncFolder, type System, writePrivateFile } from './system.ts'
import { renameClaimed } from './windows.ts'

/**
 * The entry of one key, as numbers and as names of files beside it.
 *
 * It is itself the name of an empty file, and changes by the renaming of that file. A rename gives
 * one name to one caller, and no name comes twice, so that it is a compare-and-swap between processes
 * without a mutex, whose owner might die, and of record and lock in one step. Linking a file to the
 * next free number would not do: a slow caller can link one that was used and swept meanwhile,
 * and cannot tell this from having been first and overtaken.
 */
export interface FileState {
  readonly generation: number
  /** The file of the record, or `none`. */
  readonly recordFile: string
  /** The number of the last lock that was given. */
  readonly fencingToken: number
  /** The file that tells who holds the lock, or `none`. */
  readonly lockFile: string
}

interface Listing {
  readonly state: FileState
  /** All names in the folder of a key. */
  readonly names: readonly string[]
}

const emptyState: FileState = {
  generation: 0,
  recordFile: 'none',
  fencingToken: 0,
  lockFile: 'none',
}

const fileName = '(none|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'
// Up to 15 digits are exact as a number, and so is the one that follows.
const number = '(0|[1-9][0-9]{0,14})'
const statePattern = new RegExp(`^state\\.${number}\\.${fileName}\\.${number}\\.${fileName}$`)

const mostAttempts = 1000
const mostLooks = 5

export async function readState(system: System, folder: string): Promise<FileState> {
  return (await list(system, folder))?.state ?? emptyState
}

/**
 * Changes the state as it is; again from the start if another was faster.
 *
 * @param decide - Gets the state, and the name of the file that the next one may have. Resolves to the next state, if
 * there is one, and the text of that file.
 */
export async function changeState<Result>(
  system: System,
  folder: string,
  decide: (
    state: FileState,
    newFile: string,
  ) => Promise<{ readonly result: Result; readonly next?: FileState; readonly text?: string }>,
): Promise<Result> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const listing = await list(system, folder)
    // Another name in each attempt: the files of a state that is replaced are removed.
    const newFile = crypto.randomUUID()
    const { result, next, text } = await decide(listing?.state ?? emptyState, newFile)
    if (!next) return result
    if (!listing) await create(system, folder)
    else if (await replace(system, folder, listing, next, newFile, text)) return result
  }
  throw new Error(`[@svc/auth-token] ${folder} cannot be updated: if this persists, remove it`)
}

async function list({ files }: System, folder: string): Promise<Listing | undefined> {
  // A listing that a rename crosses may show neither name, though not on every disk.
  for (let look = 0; look < mostLooks; look += 1) {
    const names = await files.readdir(folder).catch(ignoreCodes('ENOENT'))
    if (!names) return undefined
    // There is one, but where someone put the files of two times into one folder.
    const [state] = names.flatMap(parse).sort((one, other) => age(other) - age(one))
    if (state) return { state, names }
  }
  return undefined
}

/** Replaces a state and removes its files. Resolves to `false` if another was faster. */
async function replace(
  system: System,
  folder: string,
  { state, names }: Listing,
  next: FileState,
  newFile: string,
  text: string | undefined,
): Promise<boolean> {
  const { files, isPosix } = system
  const remove = (name: string): Promise<void> => files.unlink(join(folder, name)).catch(() => {})
  const [from, to] = [join(folder, nameOf(state)), join(folder, nameOf(next))]
  let isReplaced = false
  try {
    if (text !== undefined) await writePrivateFile(system, join(folder, newFile), text)
    if (!isPosix) isReplaced = await renameClaimed(system, from, to)
    else isReplaced = await files.rename(from, to).then(() => true)
  } catch (error) {
    ignoreCodes('ENOENT')(error)
  } finally {
    if (!isReplaced) await remove(newFile)
  }
  if (!isReplaced) return false
  // On the disk before the old files go, so that a failure of power leaves the one state or the other.
  await syncFolder(system, folder)
  // A file is made after the state was read that it is to change. So those that were there with the
  // state that is no more are of no use to any writer, however slow, but for the two that are named.
  const used = new Set([nameOf(next), next.recordFile, next.lockFile])
  await Promise.all(names.filter((name) => !used.has(name)).map(remove))
  return true
}

/**
 * Makes a folder with the empty state if there is none. A folder that holds a file is never
 * replaced by a rename, and none is ever without its state: so this happens once.
 */
async function create(system: System, folder: string): Promise<void> {
  const { files } = system
  const unfinished = `${folder}.${crypto.randomUUID()}`
  const file = join(unfinished, nameOf(emptyState))
  await files.mkdir(unfinished, { mode: 0o700 })
  try {
    await writePrivateFile(system, file, '')
    await files.rename(unfinished, folder)
    await syncFolder(system, dirname(folder))
  } catch (error) {
    await files.unlink(file).catch(() => {})
    await files.rmdir(unfinished).catch(() => {})
    const wasFaster = await files.lstat(folder).catch(() => undefined)
    if (!wasFaster) throw error
  }
}

function nameOf({ generation, recordFile, fencingToken, lockFile }: FileState): string {
  return ['state', generation, recordFile, fencingToken, lockFile].join('.')
}

function parse(name: string): FileState[] {
  const [, generation, recordFile = '', fencingToken, lockFile = ''] = statePattern.exec(name) ?? []
  if (generation === undefined) return []
  const numbers = { generation: Number(generation), fencingToken: Number(fencingToken) }
  return [{ ...numbers, recordFile, lockFile }]
}

/** Returns a number that grows with every change of a state, since neither of its numbers ever falls. */
function age({ generation, fencingToken }: FileState): number {
  return generation + fencingToken
}
