/// <reference types="node" />
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, type Stats } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { check, checkFunctions, checkOptions } from '@svc/auth-hooks/scheme'
import { storeAt } from '../../sharing/sharing.ts'
import { isAhead, type SharedTokenStore } from '../../token.ts'
import type { TokenStore } from '../store.ts'
import { userFolder } from './folders.ts'
import { changeState, type FileState, readState } from './state.ts'
import { errorCode, ignoreCodes, readFile, type System, writePrivateFile } from './system.ts'
import { patientSystem } from './windows.ts'

/** Options of {@link fileTokenStore}. */
export interface FileTokenStoreOptions {
  /**
   * A folder that only this user can access, on a local disk. It is created if it does not exist. On
   * Windows, which has no modes, its access control list is not checked.
   *
   * @default `svc-auth` in the user's cache folder: `$XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches` on macOS,
   * `%LOCALAPPDATA%` on Windows. Rotating refresh tokens are kept in the state folder, since nothing but the record has
   * the next one: `$XDG_STATE_HOME` or `~/.local/state`, `~/Library/Application Support`, `%LOCALAPPDATA%`
   */
  path?: string | undefined
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
}

const caller = '[@svc/auth-token] fileTokenStore'

/** Opens a file store on any system. Without a path, rotating sign-ins have a folder of their own. */
export function openFileStore(given: System, options: FileTokenStoreOptions): SharedTokenStore {
  const system = patientSystem(given)
  const names = { path: 'dir directory folder file', clock: 'now' }
  const { path, clock = () => Date.now() } = checkOptions(options, caller, names)
  const isPath = path === undefined || (typeof path === 'string' && path !== '')
  check(isPath, caller, 'path must be a non-empty string')
  checkFunctions({ clock }, caller)
  const folder = openFolder(system, path ?? defaultPath(system, 'cache'))
  const place = ['file', folder, ...(options.clock ? [clock] : [])]
  const store = storeIn(system, folder, clock)
  if (path !== undefined) return storeAt(place, store)
  return storeAt(place, store, ({ rotation }) => {
    if (!rotation) return undefined
    const signIns = openFolder(system, defaultPath(system, 'state'))
    const state = storeIn(system, signIns, clock)
    // One that the user can be asked for begins anew where its record is gone.
    return rotation.signIn ? state : signInStore(system, state, join(signIns, 'rotated'))
  })
}

/** @throws TypeError for a user without a home, as in a container, or with one that depends on the current folder. */
function defaultPath({ name, environment, home }: System, kind: 'cache' | 'state'): string {
  let folder = ''
  try {
    folder = userFolder(kind, { platform: name, environment, home: home() })
  } catch {
    // As without one.
  }
  check(isAbsolute(folder), caller, 'path must be given: this user has no home folder')
  return join(folder, 'svc-auth')
}

function storeIn(system: System, path: string, clock: () => number): TokenStore {
  // A disk may not tell upper from lower case, and a key may be longer than a name.
  const folderOf = (key: string): string =>
    join(path, createHash('sha256').update(key).digest('hex'))
  /** Resolves to the owner of the lock, if there is one. A clock that was set back does not make it last longer. */
  const ownerOf = async (folder: string, { lockFile }: FileState, now: number) => {
    const text = await readFile(system, join(folder, lockFile))
    const { version, owner, takenAt, expiresAt } = parse(text)
    const isLock = version === 1 && typeof takenAt === 'number' && typeof expiresAt === 'number'
    return isLock && isAhead(expiresAt, now, expiresAt - takenAt) ? owner : undefined
  }

  return {
    async get(key) {
      const folder = folderOf(key)
      let lastFile = ''
      for (;;) {
        const { generation, recordFile } = await readState(system, folder)
        if (generation === 0) return undefined
        const text = await readFile(system, join(folder, recordFile))
        // A file that was not replaced meanwhile is lost. It keeps its number, so that the next can be written.
        if (text !== undefined || recordFile === lastFile) {
          const { version, sealed } = parse(text)
          const isRecord = version === 1 && typeof sealed === 'string'
          // A session takes what opens to nothing for a miss.
          return { generation, sealed: isRecord ? sealed : '' }
        }
        lastFile = recordFile
      }
    },
    // The time to live is not kept: a sealed record knows its own, and the next takes its place.
    async compareAndSwap(key, { generation, sealed }, { fencingToken = Infinity }) {
      return changeState(system, folderOf(key), async (state, recordFile) => {
        const isNext = generation === state.generation + 1 && fencingToken >= state.fencingToken
        if (!isNext) return { result: false }
        const text = JSON.stringify({ version: 1, sealed })
        return { result: true, text, next: { ...state, generation, recordFile } }
      })
    },
    async lock(key, { owner, ttlMs }) {
      const folder = folderOf(key)
      return changeState<number | undefined>(system, folder, async (state, lockFile) => {
        const takenAt = clock()
        const holder = await ownerOf(folder, state, takenAt)
        if (holder !== undefined && holder !== owner) return { result: undefined }
        const fencingToken = state.fencingToken + (holder === undefined ? 1 : 0)
        // JSON has no Infinity.
        const expiresAt = Math.min(takenAt + ttlMs, Number.MAX_SAFE_INTEGER)
        const text = JSON.stringify({ version: 1, owner, takenAt, expiresAt })
        return { result: fencingToken, text, next: { ...state, fencingToken, lockFile } }
      })
    },
    async unlock(key, owner) {
      const folder = folderOf(key)
      await changeState(system, folder, async (state) => {
        const isHeld = (await ownerOf(folder, state, clock())) === owner
        return { result: undefined, ...(isHeld && { next: { ...state, lockFile: 'none' } }) }
      })
    },
  }
}

/**
 * Keeps rotating sign-ins in the state folder. A marker beside the records tells a sign-in that has rotated: where its
 * record is gone, its first refresh token was spent long ago, and must not be sent again.
 *
 * @param markers - The folder of the markers.
 */
function signInStore(system: System, state: TokenStore, markers: string): TokenStore {
  const markerOf = (key: string): string =>
    join(markers, createHash('sha256').update(key).digest('hex'))

  return {
    ...state,
    async get(key) {
      const record = await state.get(key)
      if (record || (await readFile(system, markerOf(key))) === undefined) return record
      throw new Error('[@svc/auth-token] the record of a sign-in that has rotated is gone')
    },
    async compareAndSwap(key, record, write) {
      if (!(await state.compareAndSwap(key, record, write))) return false
      // Before anything is sent: the note that says so is such a write.
      await system.files.mkdir(markers, { mode: 0o700 }).catch(ignoreCodes('EEXIST'))
      await writePrivateFile(system, markerOf(key), '').catch(ignoreCodes('EEXIST'))
      return true
    },
  }
}

/** Parses a file of the store. One that is missing or damaged has no fields. */
function parse(text = ''): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Makes a folder for this user alone, if there is none. */
function openFolder({ isPosix }: System, path: string): string {
  // Without a slash at its end too, which would have a link followed.
  const folder = resolve(path)
  let stats: Stats
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    stats = lstatSync(folder)
  } catch (cause) {
    const code = errorCode(cause)
    const what = `creating ${folder} failed${code && ` with ${code}`}`
    throw new TypeError(`${caller}: path must be a folder that you can use: ${what}`, { cause })
  }
  const isFolder = stats.isDirectory()
  const remedy = `remove ${folder} or choose another path`
  check(isFolder, caller, `path must be a folder, not a link to one: ${remedy}`)
  if (!isPosix) return folder
  const isOwn = stats.uid === process.getuid?.()
  const owner = `${folder} belongs to user ${stats.uid}`
  check(isOwn, caller, `path must be a folder that you own: ${owner}`)
  const isPrivate = (stats.mode & 0o077) === 0
  const chmod = `run chmod 700 ${folder}`
  check(isPrivate, caller, `path must be a folder that only you can access: ${chmod}`)
  return folder
}
