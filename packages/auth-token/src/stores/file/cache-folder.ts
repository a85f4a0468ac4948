/// <reference types="node" />
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where the user's programs keep what they can do without.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function cacheFolder(
  platform: string = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: () => string = homedir,
): string {
  const named = (name: string): string | undefined => {
    const value = environment[name]
    // The specification has a relative path ignored.
    return value !== undefined && isAbsolute(value) ? value : undefined
  }
  if (platform === 'win32') return named('LOCALAPPDATA') ?? join(home(), 'AppData', 'Local')
  if (platform === 'darwin') return join(home(), 'Library', 'Caches')
  return named('XDG_CACHE_HOME') ?? join(home(), '.cache')
}
