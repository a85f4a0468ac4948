/// <reference types="node" />
/**
 * Shares one token among the processes on one host, in files. For Node, Bun and Deno.
 *
 * @module @svc/auth-token/file-store
 */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { check, checkFunctions, checkOptions } from '@svc/auth-hooks/scheme'
import { storeAt } from '../../sharing/sharing.ts'
import type { SharedTokenStore } from '../../token.ts'
import { hasEnded, type LockHolder, lockText, parseLock, parseObject, thisProcess } from './lock.ts'
import { cacheFolder, directoryError, errorCode, readPrivateFile } from './private-files.ts'
import { changeState, type FileState, readState } from './state.ts'

/** Options of {@link fileTokenStore}. */
export interface FileTokenStoreOptions {
  /**
   * A folder that only this user can access, on a local disk. It is created if it does not exist.
   *
   * @default `svc-auth` in the user's cache folder: `$XDG_CACHE_HOME` or `~/.cache`,
   * `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows
   */
  path?: string | undefined
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
}

/** The largest correction of a running clock that is tolerated for a lock. */
const lockToleranceMs = 60_000
const caller = '[@svc/auth-token] fileTokenStore'

/**
 * Keeps tokens in files, for the processes of one user on one host, such as the runs of a command.
 * For Node, Bun and Deno. The lock of a killed process is free immediately; a file that is damaged, linked
 * or another user's counts as missing. Records are sealed before they get here.
 *
 * @throws TypeError at construction, if an option is invalid, or if the folder cannot be created or is open
 * to others.
 * @example
 * import { createTokenAuth } from '@svc/auth-token'
 * import { fileTokenStore } from '@svc/auth-token/file-store'
 *
 * const auth = createTokenAuth({
 *   baseUrl: 'https://search.example.com',
 *   credentials: { username: 'reader@example.com', password: 'a password' },
 *   store: fileTokenStore({ path: '/var/cache/search/svc-auth' }),
 * })
 * await auth.getToken()
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function fileTokenStore(options: FileTokenStoreOptions = {}): SharedTokenStore {
  const { path, clock } = readFileStoreOptions(options)
  const self = thisProcess()

  const folderOf = async (key: string): Promise<string> => {
    const error = directoryError(await lstat(path), path)
    if (error) throw new Error(`[@svc/auth-token] ${path} ${error}`)
    // A disk may not tell upper from lower case, and a key may be longer than a name.
    return join(path, createHash('sha256').update(key).digest('hex'))
  }
  const lockOf = async (
    folder: string,
    { lockFile }: FileState,
  ): Promise<LockHolder | undefined> => {
    const text = lockFile && (await readPrivateFile(join(folder, lockFile)))
    return text ? parseLock(text) : undefined
  }

  const place = ['file', path, ...(options.clock ? [clock] : [])]
  return storeAt(place, {
    async get(key) {
      const folder = await folderOf(key)
      let state = await readState(folder)
      while (state.generation > 0) {
        const { generation, recordFile } = state
        const text = recordFile && (await readPrivateFile(join(folder, recordFile)))
        if (text) return { generation, sealed: parseSealed(text) }
        state = await readState(folder)
        // Not replaced meanwhile but lost. It keeps its number, so that the next can be written.
        if (state.recordFile === recordFile) return { generation, sealed: '' }
      }
      return undefined
    },
    // The time to live is not kept: a sealed record knows its own, and the next takes its place.
    async compareAndSwap(key, { generation, sealed }, { fencingToken }) {
      const folder = await folderOf(key)
      return changeState(folder, async (state) => {
        const isNext = generation === state.generation + 1 && fencingToken >= state.fencingToken
        if (!isNext) return { result: false }
        const text = JSON.stringify({ version: 1, sealed })
        const next = (recordFile: string): FileState => ({ ...state, generation, recordFile })
        return { result: true, change: { text, next } }
      })
    },
    async lock(key, { owner, ttlMs }) {
      const folder = await folderOf(key)
      return changeState<number | undefined>(folder, async (state) => {
        const holder = await lockOf(folder, state)
        const now = clock()
        const isHeld = holder && isInTime(holder, now) && !hasEnded(holder.process, self)
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
      await changeState(folder, async (state) => {
        const holder = await lockOf(folder, state)
        if (holder?.owner !== owner) return { result: undefined }
        return { result: undefined, change: { next: () => ({ ...state, lockFile: undefined }) } }
      })
    },
  })
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

function readFileStoreOptions(options: FileTokenStoreOptions): {
  path: string
  clock: () => number
} {
  const names = { path: 'dir directory folder file', clock: 'now' }
  const given = checkOptions(options, caller, names)
  const { path = join(cacheFolder(), 'svc-auth'), clock = () => Date.now() } = given
  check(typeof path === 'string' && path !== '', caller, 'path must be a non-empty string')
  checkFunctions({ clock }, caller)
  // Without a slash at its end too, which would have a link followed.
  const folder = resolve(path)
  let error: string | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    error = directoryError(lstatSync(folder), folder)
  } catch (cause) {
    const code = errorCode(cause)
    const what = `creating ${folder} failed${code && ` with ${code}`}`
    throw new TypeError(`${caller}: path must be a folder that you can use: ${what}`, { cause })
  }
  check(!error, caller, `path ${error}`)
  return { path: folder, clock }
}
