/// <reference types="node" />
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { check, checkFunctions, checkOptions } from '@svc/auth-hooks/scheme'
import { storeAt } from '../../sharing/sharing.ts'
import type { SharedTokenStore } from '../../token.ts'
import type { TokenStore } from '../store.ts'
import { hasEnded, type LockHolder, lockText, parseLock, parseObject, thisProcess } from './lock.ts'
import { userFolder } from './folders.ts'
import { errorCode, type Platform } from './platform.ts'
import { directoryError, readPrivateFile } from './private-files.ts'
import { signInStore } from './sign-in-store.ts'
import { changeState, type FileState, readState } from './state.ts'

/** Options of a file store, as `fileTokenStore` documents them. */
export interface FileStoreOptions {
  path?: string | undefined
  clock?: (() => number) | undefined
}

/** The largest correction of a running clock that is tolerated for a lock. */
const lockToleranceMs = 60_000
const caller = '[@svc/auth-token] fileTokenStore'

/** Opens a file store on any platform. Without a path, rotating sign-ins have a folder of their own. */
export function openFileStore(platform: Platform, options: FileStoreOptions): SharedTokenStore {
  const names = { path: 'dir directory folder file', clock: 'now' }
  const { path, clock = () => Date.now() } = checkOptions(options, caller, names)
  check(
    path === undefined || (typeof path === 'string' && path !== ''),
    caller,
    'path must be a non-empty string',
  )
  checkFunctions({ clock }, caller)
  const folder = openFolder(platform, path ?? defaultPath(platform, 'cache'))
  const place = ['file', folder, ...(options.clock ? [clock] : [])]
  const store = storeIn(platform, folder, clock)
  if (path !== undefined) return storeAt(place, store)
  return storeAt(place, store, () => {
    const signIns = openFolder(platform, defaultPath(platform, 'state'))
    const state = storeIn(platform, signIns, clock)
    return signInStore(platform, state, store, join(signIns, 'rotated'))
  })
}

function defaultPath({ name, environment, home }: Platform, kind: 'cache' | 'state'): string {
  return join(userFolder(kind, { platform: name, environment, home: home() }), 'svc-auth')
}

/** Returns the store in a folder. */
function storeIn(platform: Platform, path: string, clock: () => number): TokenStore {
  const self = thisProcess(platform)

  const folderOf = async (key: string): Promise<string> => {
    const error = directoryError(platform, await platform.files.lstat(path), path)
    if (error) throw new Error(`[@svc/auth-token] ${path} ${error}`)
    // A disk may not tell upper from lower case, and a key may be longer than a name.
    return join(path, createHash('sha256').update(key).digest('hex'))
  }
  const lockOf = async (
    folder: string,
    { lockFile }: FileState,
  ): Promise<LockHolder | undefined> => {
    const text = lockFile && (await readPrivateFile(platform, join(folder, lockFile)))
    return text ? parseLock(text) : undefined
  }

  return {
    async get(key) {
      const folder = await folderOf(key)
      let state = await readState(platform, folder)
      while (state.generation > 0) {
        const { generation, recordFile } = state
        const text = recordFile && (await readPrivateFile(platform, join(folder, recordFile)))
        if (text) return { generation, sealed: parseSealed(text) }
        state = await readState(platform, folder)
        // Not replaced meanwhile but lost. It keeps its number, so that the next can be written.
        if (state.recordFile === recordFile) return { generation, sealed: '' }
      }
      return undefined
    },
    // The time to live is not kept: a sealed record knows its own, and the next takes its place.
    async compareAndSwap(key, { generation, sealed }, { fencingToken = Infinity }) {
      const folder = await folderOf(key)
      return changeState(platform, folder, async (state) => {
        const isNext = generation === state.generation + 1 && fencingToken >= state.fencingToken
        if (!isNext) return { result: false }
        const text = JSON.stringify({ version: 1, sealed })
        const next = (recordFile: string): FileState => ({ ...state, generation, recordFile })
        return { result: true, change: { text, next } }
      })
    },
    async lock(key, { owner, ttlMs }) {
      const folder = await folderOf(key)
      return changeState<number | undefined>(platform, folder, async (state) => {
        const holder = await lockOf(folder, state)
        const now = clock()
        const isHeld = holder && isInTime(holder, now) && !hasEnded(platform, holder.process, self)
        if (isHeld && holder.owner !== owner) return { result: undefined }
        const fencingToken = isHeld ? state.fencingToken : state.fencingToken + 1
        // JSON has no Infinity.
        const expiresAt = Math.min(now + ttlMs, Number.MAX_SAFE_INTEGER)
        const text = lockText({ owner, takenAt: now, expiresAt, process: self })
        const next = (lockFile: string): FileState => ({ ...state, fencingToken, lockFile })
        return { result: fencingToken, change: { text, next } }
      })
    },
    async unlock(key, owner) {
      const folder = await folderOf(key)
      await changeState(platform, folder, async (state) => {
        const holder = await lockOf(folder, state)
        if (holder?.owner !== owner) return { result: undefined }
        return { result: undefined, change: { next: () => ({ ...state, lockFile: undefined }) } }
      })
    },
  }
}

/** Tells if a lock still holds. A clock that was set back does not make it last longer. */
function isInTime({ takenAt, expiresAt }: LockHolder, now: number): boolean {
  return now < expiresAt && now > takenAt - lockToleranceMs
}

/** Returns the text of a record file, or one that opens to nothing: a session takes it for a miss. */
function parseSealed(text: string): string {
  const { version, sealed } = parseObject(text) ?? {}
  return version === 1 && typeof sealed === 'string' && /^[\w-]*$/.test(sealed) ? sealed : ''
}

/** Makes a folder for this user alone, if there is none. */
function openFolder(platform: Platform, path: string): string {
  // Without a slash at its end too, which would have a link followed.
  const folder = resolve(path)
  let error: string | undefined
  try {
    platform.mkdirSync(folder)
    error = directoryError(platform, platform.lstatSync(folder), folder)
  } catch (cause) {
    const code = errorCode(cause)
    const what = `creating ${folder} failed${code && ` with ${code}`}`
    throw new TypeError(`${caller}: path must be a folder that you can use: ${what}`, { cause })
  }
  check(!error, caller, `path ${error}`)
  return folder
}
