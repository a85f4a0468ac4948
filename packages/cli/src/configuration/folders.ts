import { join } from 'node:path'
import type { CommandContext } from '../context.ts'

type Place = Pick<CommandContext, 'env' | 'home' | 'platform'>

/** Resolves to the file of the profiles. */
export async function profilesFile(context: Place): Promise<string> {
  return join(await folderOf('config', context), 'profiles.toml')
}

/** Resolves to the folder of the sessions, which last: without them, a user is asked for the password again. */
export async function sessionsFolder(context: Place): Promise<string> {
  return join(await folderOf('state', context), 'command')
}

/** Returns the variable that decides where a folder of the user is. */
export function folderVariable(kind: 'config' | 'state', { platform }: Place): string {
  if (platform === 'win32') return kind === 'config' ? 'APPDATA' : 'LOCALAPPDATA'
  return platform === 'darwin' ? 'HOME' : `XDG_${kind.toUpperCase()}_HOME`
}

async function folderOf(kind: 'config' | 'state', { env, home, platform }: Place): Promise<string> {
  const { userFolder } = await import('@svc/auth-token/file-store')
  return join(userFolder(kind, { platform, environment: env, home }), 'svc-auth')
}
