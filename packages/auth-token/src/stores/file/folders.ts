/// <reference types="node" />
import { isAbsolute, join } from 'node:path'

/** What decides where the folders of a user are. */
export interface UserFolderPlace {
  /** As in `process.platform`. */
  readonly platform: string
  /** As `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The home of the user. */
  readonly home: string
}

/**
 * Returns a folder of the user: `config` for settings, `state` for what must last but belongs to this machine alone,
 * `cache` for what can be had again.
 *
 * | | Linux and others | macOS | Windows |
 * |---|---|---|---|
 * | `config` | `$XDG_CONFIG_HOME`, `~/.config` | `~/Library/Application Support` | `%APPDATA%` |
 * | `state` | `$XDG_STATE_HOME`, `~/.local/state` | `~/Library/Application Support` | `%LOCALAPPDATA%` |
 * | `cache` | `$XDG_CACHE_HOME`, `~/.cache` | `~/Library/Caches` | `%LOCALAPPDATA%` |
 *
 * @example
 * import { homedir } from 'node:os'
 * import { env, platform } from 'node:process'
 * import { userFolder } from '@svc/auth-token/file-store'
 *
 * console.log(userFolder('state', { platform, environment: env, home: homedir() }))
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function userFolder(
  kind: 'config' | 'state' | 'cache',
  { platform, environment, home }: UserFolderPlace,
): string {
  const named = (variable: string): string | undefined => {
    const value = environment[variable]
    // The specification has a relative path ignored.
    return value !== undefined && isAbsolute(value) ? value : undefined
  }
  if (platform === 'win32') {
    return kind === 'config'
      ? (named('APPDATA') ?? join(home, 'AppData', 'Roaming'))
      : (named('LOCALAPPDATA') ?? join(home, 'AppData', 'Local'))
  }
  if (platform === 'darwin') {
    return join(home, 'Library', kind === 'cache' ? 'Caches' : 'Application Support')
  }
  const folders = { config: ['.config'], state: ['.local', 'state'], cache: ['.cache'] }
  return named(`XDG_${kind.toUpperCase()}_HOME`) ?? join(home, ...folders[kind])
}
