import type { ChildProcess } from 'node:child_process'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { type Keyring, type KeyringPackage, openKeyring } from './keyring.ts'

/** What a platform asks the operating system for. Tests give a double of it. */
export interface System {
  /** As `process.platform` has it. */
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: () => string
  /** Returns the number of this user; `undefined` where users have none. */
  readonly userId: (() => number) | undefined
  readonly importKeyring: () => Promise<KeyringPackage>
  readonly kill: (id: number, signal: EndSignal) => void
  /** Starts a program whose end nobody waits for. */
  readonly start: (program: string, args: readonly string[]) => void
}

/** Asks a program to end, or ends it. */
type EndSignal = 'SIGTERM' | 'SIGKILL'

/** The modes of what this user alone may use. Windows takes no notice of them. */
export const privateModes = { file: 0o600, folder: 0o700 } as const

type FolderKind = 'config' | 'state'

/** What differs between Linux, macOS and Windows. No other module asks which of them it runs on. */
export class Platform {
  readonly #system: System
  #keyring: Promise<Keyring | undefined> | undefined
  /** `false` on Windows: no socket is a file there, a signal reaches no group, and what is open cannot be removed. */
  readonly isPosix: boolean

  constructor(system: System) {
    this.#system = system
    this.isPosix = system.name !== 'win32'
  }

  /** The signals that end a command, with their numbers, which shells add to 128. */
  get signals(): Readonly<Record<string, number>> {
    return { SIGINT: 2, SIGHUP: 1, ...(this.isPosix ? { SIGTERM: 15 } : { SIGBREAK: 21 }) }
  }

  /** Resolves to the file of the profiles. */
  profilesFile(): Promise<string> {
    return this.#folder('config', 'profiles.toml')
  }

  /** Resolves to the folder of the sessions, which last: without them, a user is asked for the password again. */
  sessionsFolder(): Promise<string> {
    return this.#folder('state', 'command')
  }

  async #folder(kind: FolderKind, name: string): Promise<string> {
    const { userFolder } = await import('@svc/auth-token/file-store')
    const { name: platform, env: environment, home } = this.#system
    return join(userFolder(kind, { platform, environment, home: home() }), 'svc-auth', name)
  }

  /** Returns the variable that decides where a folder of the user is. */
  folderVariable(kind: FolderKind): string {
    if (!this.isPosix) return kind === 'config' ? 'APPDATA' : 'LOCALAPPDATA'
    return this.#system.name === 'darwin' ? 'HOME' : `XDG_${kind.toUpperCase()}_HOME`
  }

  /**
   * Tells who can use a file or a folder. On Windows Node makes owners and modes up: there an access control list
   * keeps others out of the folders of a user.
   */
  usersOf({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): 'this user' | 'others too' | 'another user' {
    if (!this.isPosix) return 'this user'
    if (uid !== this.#system.userId?.()) return 'another user'
    return (mode & 0o077) === 0 ? 'this user' : 'others too'
  }

  /** Resolves to the keyring of the system; `undefined` if it is off, or none responds. */
  async openKeyring(): Promise<Keyring | undefined> {
    if (this.#isKeyringOff) return undefined
    return (this.#keyring ??= openKeyring(this.#system.importKeyring))
  }

  /** Says why there is no keyring. */
  get noKeyring(): string {
    return this.#isKeyringOff
      ? 'SVC_AUTH_KEYRING=off switches the keyring off'
      : 'this system has no keyring that responds'
  }

  get #isKeyringOff(): boolean {
    return this.#system.env['SVC_AUTH_KEYRING'] === 'off'
  }

  /** Ends a program: with its children if it leads a group, and on Windows in any case. */
  endProgram(
    program: Pick<ChildProcess, 'pid' | 'kill'>,
    isLeader: boolean,
    signal: EndSignal,
  ): void {
    const { pid = 0 } = program
    if (!this.isPosix && signal === 'SIGTERM') {
      // By its path, since Windows would take another one of the current folder.
      const root = this.#system.env['SystemRoot'] ?? 'C:\\Windows'
      this.#system.start(`${root}\\System32\\taskkill.exe`, ['/pid', String(pid), '/t', '/f'])
    } else if (isLeader && pid > 0) this.#system.kill(-pid, signal)
    else program.kill(signal)
  }
}
