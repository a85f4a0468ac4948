import { isAbsolute, join } from 'node:path'
import type { CommandContext } from '../context.ts'

type Place = Pick<CommandContext, 'env' | 'home' | 'platform'>

/**
 * Returns the file of the profiles, in the folder that the platform has for configuration.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function profilesFile(context: Place): string {
  const { env, home, platform } = context
  const folder =
    platform === 'win32'
      ? (absolute(env['APPDATA']) ?? join(home, 'AppData', 'Roaming'))
      : platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : (absolute(env['XDG_CONFIG_HOME']) ?? join(home, '.config'))
  return join(folder, 'svc-auth', 'profiles.toml')
}

/** Returns the folder of the sessions, in the folder that the platform has for what can be had again. */
export function sessionsFolder({ env, home, platform }: Place): string {
  const folder =
    platform === 'win32'
      ? (absolute(env['LOCALAPPDATA']) ?? join(home, 'AppData', 'Local'))
      : platform === 'darwin'
        ? join(home, 'Library', 'Caches')
        : (absolute(env['XDG_CACHE_HOME']) ?? join(home, '.cache'))
  return join(folder, 'svc-auth', 'command')
}

/** The specification says that a relative path is to be ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
