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
    name: process.platform,
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
