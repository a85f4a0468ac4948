/// <reference types="node" />
import { isAbsolute, join } from 'node:path'
import type { System } from './platform.ts'

/**
 * Returns a user's folder: `cache` for what programs can do without, `state` for what must last but belongs to this
 * machine alone.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function userFolder(
  kind: 'cache' | 'state',
  { name, environment, home }: Pick<System, 'name' | 'environment' | 'home'>,
): string {
  const named = (variable: string): string | undefined => {
    const value = environment[variable]
    // The specification has a relative path ignored.
    return value !== undefined && isAbsolute(value) ? value : undefined
  }
  if (name === 'win32') return named('LOCALAPPDATA') ?? join(home(), 'AppData', 'Local')
  if (name === 'darwin') {
    return join(home(), 'Library', kind === 'cache' ? 'Caches' : 'Application Support')
  }
  return kind === 'cache'
    ? (named('XDG_CACHE_HOME') ?? join(home(), '.cache'))
    : (named('XDG_STATE_HOME') ?? join(home(), '.local', 'state'))
}
