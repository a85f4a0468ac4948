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
import { cacheFolder } from './private-files.ts'
import { changeState, type FileState, readState } from './state.ts'
import { hasEnded, type LockHolder, lockText, parseLock, parseObject, thisProcess } from './lock.ts'
import { codeOf, folderComplaint, readPrivateFile } from './private-files.ts'
import type { TokenStore } from '../store.ts'

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

/** So far clocks are set while they run. */
const settingMs = 60_000

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
export function fileTokenStore(options: FileTokenStoreOptions = {}): TokenStore {
  const { path, clock } = readOptions(options)
  const self = thisProcess()

  const folderOf = async (key: string): Promise<string> => {
    const complaint = folderComplaint(await lstat(path), path)
    if (complaint) throw new Error(`[@svc/auth-token] ${path} ${complaint}`)
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

  return Object.freeze<TokenStore>({
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
    // The time to live is not kept: what is sealed knows its own, and the next takes its place.
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

/** A clock that was set back must not make a lock last for so much longer. */
function isInTime({ takenAt, expiresAt }: LockHolder, now: number): boolean {
  return now < expiresAt && now > takenAt - settingMs
}

/** What a record file holds, or what opens to nothing: a session takes it for a miss. */
function parseSealed(text: string): string {
  const { version, sealed } = parseObject(text) ?? {}
  return version === 1 && typeof sealed === 'string' && /^[\w-]*$/.test(sealed) ? sealed : ''
}

function readOptions(options: FileTokenStoreOptions): { path: string; clock: () => number } {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  const { path = join(cacheFolder(), 'svc-auth'), clock = () => Date.now() } = options
  if (typeof path !== 'string' || path === '') {
    throw new TypeError('path must be a non-empty string')
  }
  if (typeof clock !== 'function') throw new TypeError('clock must be a function')
  // Without a slash at its end too, which would have a link followed.
  const folder = resolve(path)
  let complaint: string | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    complaint = folderComplaint(lstatSync(folder), folder)
  } catch (cause) {
    throw new TypeError(
      `path must be a folder that you can use: creating ${folder} failed${codeOf(cause) && ` with ${codeOf(cause)}`}`,
      { cause },
    )
  }
  if (complaint) throw new TypeError(`path ${complaint}`)
  return { path: folder, clock }
}
