import { join } from 'node:path'
import { type Keyring, Platform, type System, thisSystem } from '../testing.ts'

/** What a platform asked its system for. */
export interface Asked {
  readonly killed: (readonly [id: number, signal: string])[]
  readonly started: (readonly [program: string, ...args: string[]])[]
}

/** Settings of a platform that are not this machine's. */
export interface PlatformDouble extends Partial<System> {
  /** @default none that responds */
  readonly keyring?: Keyring | undefined
}

const usualName = process.platform === 'win32' ? 'win32' : 'linux'

/** Returns the variables of Windows by which the files of a user are in the folders that they have on Linux. */
export function usualFolders(home: string): Record<string, string> {
  return { APPDATA: join(home, '.config'), LOCALAPPDATA: join(home, '.local/state') }
}

/** Returns the system of commands within a process. */
export function usual(env: System['env'], home: string): Pick<System, 'env' | 'home' | 'name'> {
  return { name: usualName, env: { ...usualFolders(home), ...env }, home: () => home }
}

/** The programs of this machine, for a double under which helpers run. */
export const processes: Pick<System, 'kill' | 'start'> = {
  kill: thisSystem.kill,
  start: thisSystem.start,
}

/** Creates a platform with the rules of a system, which keeps what it was asked for and does none of it. */
export function platformDouble({ keyring, ...system }: PlatformDouble = {}): Platform & {
  readonly asked: Asked
} {
  const asked: Asked = { killed: [], started: [] }
  const platform = new Platform({
    name: usualName,
    env: {},
    home: () => '/dev/null',
    userId: process.getuid,
    importKeyring: async () => Promise.reject(new Error('the package is not installed')),
    kill: (id, signal) => void asked.killed.push([id, signal]),
    start: (program, args) => void asked.started.push([program, ...args]),
    ...system,
  })
  return Object.assign(platform, { asked }, keyring && { openKeyring: async () => keyring })
}
