/// <reference types="node" />
/**
 * Shares one token among the processes on one host, in files. For Node, Bun and Deno.
 *
 * @module @svc/auth-token/file-store
 */
import type { SharedTokenStore } from '../../token.ts'
import { type FileTokenStoreOptions, openFileStore } from './open-file-store.ts'
import { thisSystem } from './system.ts'

export { userFolder, type UserFolderPlace } from './folders.ts'
export type { FileTokenStoreOptions }

/**
 * Keeps tokens in files, for the processes of one user on one host, such as the runs of a command.
 * For Node, Bun and Deno. The lock of a killed process is free within 5 seconds; a file that is damaged
 * counts as missing. Records are sealed before they get here.
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
  return openFileStore(thisSystem, options)
}
