/// <reference types="node" />
/**
 * Shares one token among the processes on one host, in files. For Node, Bun and Deno.
 *
 * @module @svc/auth-token/file-store
 */
import type { SharedTokenStore } from '../../token.ts'
import { openFileStore } from './open-file-store.ts'
import { platformOf, thisSystem } from './platform.ts'

export { userFolder, type UserFolderPlace } from './folders.ts'

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
  return openFileStore(platformOf(thisSystem), options)
}
