import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { platformDouble } from '../support/platforms.ts'

const home = (): string => '/home/reader'
const user = 1000

/** What is asked for so that a group ends. */
const endedGroup = {
  started: [],
  killed: [
    [-4711, 'SIGTERM'],
    [-4711, 'SIGKILL'],
  ],
  itself: [],
}

/** What each platform has of its own. */
const rules = [
  {
    name: 'linux',
    isPosix: true,
    signals: { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 },
    profiles: '/home/reader/.config/svc-auth/profiles.toml',
    sessions: '/home/reader/.local/state/svc-auth/command',
    variables: ['XDG_CONFIG_HOME', 'XDG_STATE_HOME'],
    ended: endedGroup,
  },
  {
    name: 'darwin',
    isPosix: true,
    signals: { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 },
    profiles: '/home/reader/Library/Application Support/svc-auth/profiles.toml',
    sessions: '/home/reader/Library/Application Support/svc-auth/command',
    variables: ['HOME', 'HOME'],
    ended: endedGroup,
  },
  {
    name: 'win32',
    isPosix: false,
    signals: { SIGINT: 2, SIGBREAK: 21, SIGHUP: 1 },
    profiles: '/home/reader/AppData/Roaming/svc-auth/profiles.toml',
    sessions: '/home/reader/AppData/Local/svc-auth/command',
    variables: ['APPDATA', 'LOCALAPPDATA'],
    ended: {
      started: [['D:\\Windows\\System32\\taskkill.exe', '/pid', '4711', '/t', '/f']],
      killed: [],
      itself: ['SIGKILL'],
    },
  },
] as const

describe.each(rules)('on $name', ({ name, isPosix, ended, ...rule }) => {
  const { signals, profiles, sessions, variables } = rule
  test('each path is where that system keeps such files', async () => {
    const platform = platformDouble({ name, home })
    const paths = [await platform.profilesFile(), await platform.sessionsFolder()]
    // The separator is that of the machine on which this runs.
    expect(paths.map((path) => path.replaceAll('\\', '/'))).toEqual([profiles, sessions])
    expect([platform.folderVariable('config'), platform.folderVariable('state')]).toEqual(variables)
  })

  test('the signals that end a command are those that the system sends', () => {
    expect(platformDouble({ name }).signals).toEqual(signals)
  })

  test('a file is private by its owner and its mode, where these mean anything', () => {
    const platform = platformDouble({ name, userId: () => user })
    const usersOf = (mode: number, uid = user): string => platform.usersOf({ mode, uid })
    expect(usersOf(0o100600)).toBe('this user')
    expect(usersOf(0o100644)).toBe(isPosix ? 'others too' : 'this user')
    expect(usersOf(0o100660)).toBe(isPosix ? 'others too' : 'this user')
    expect(usersOf(0o100600, user + 1)).toBe(isPosix ? 'another user' : 'this user')
  })

  test('a helper ends with its children', () => {
    const platform = platformDouble({ name, env: { SystemRoot: 'D:\\Windows' } })
    const kill = vi.fn<(signal?: number | NodeJS.Signals) => boolean>()
    const program = { pid: 4711, kill }
    platform.endProgram(program, isPosix, 'SIGTERM')
    platform.endProgram(program, isPosix, 'SIGKILL')
    expect({ ...platform.asked, itself: kill.mock.calls.flat() }).toEqual(ended)
  })

  test('a helper that never began, or leads no group, is signalled alone', () => {
    const platform = platformDouble({ name })
    const kill = vi.fn<(signal?: number | NodeJS.Signals) => boolean>()
    platform.endProgram({ pid: undefined, kill }, true, 'SIGKILL')
    platform.endProgram({ pid: 4711, kill }, false, 'SIGKILL')
    expect(kill.mock.calls).toEqual([['SIGKILL'], ['SIGKILL']])
    expect(platform.asked.killed).toEqual([])
  })

  test('the keyring is that of the system, opened once, and no other', async () => {
    const opened: unknown[][] = []
    const secrets = new Map<string, string>()
    class Entry {
      readonly #account: string
      constructor(service: string, account: string, options: object) {
        opened.push([service, options])
        this.#account = account
      }
      getPassword = (): string | null => secrets.get(this.#account) ?? null
      setPassword = (secret: string): void => void secrets.set(this.#account, secret)
      deletePassword = (): boolean => secrets.delete(this.#account)
    }
    const importKeyring = vi.fn<() => Promise<{ Entry: never }>>(async () => ({
      Entry: Entry as never,
    }))
    const platform = platformDouble({ name, importKeyring })
    const keyring = await platform.openKeyring()
    keyring?.set('a', 'hunter2')
    expect((await platform.openKeyring())?.get('a')).toBe('hunter2')
    keyring?.remove('a')
    expect(keyring?.get('a')).toBeUndefined()
    expect(importKeyring).toHaveBeenCalledOnce()
    // Of Linux not that of the kernel, which forgets.
    const options = { linux: { store: 'secret-service' } }
    expect(
      opened.every((one) => JSON.stringify(one) === JSON.stringify(['svc-auth', options])),
    ).toBe(true)
  })

  test('without a keyring it says why', async () => {
    const off = platformDouble({ name, env: { SVC_AUTH_KEYRING: 'off' } })
    expect(await off.openKeyring()).toBeUndefined()
    expect(off.noKeyring).toBe('SVC_AUTH_KEYRING=off switches the keyring off')
    const missing = platformDouble({ name })
    expect(await missing.openKeyring()).toBeUndefined()
    expect(missing.noKeyring).toBe('this system has no keyring that responds')
    const locked = () => {
      throw new Error('locked')
    }
    const importKeyring = async () => ({ Entry: locked as never })
    expect(await platformDouble({ name, importKeyring }).openKeyring()).toBeUndefined()
  })
})

test('no other module asks which system it runs on', () => {
  const source = join(import.meta.dirname, '../../src')
  const asks =
    /process\.(?:platform|getuid|kill|once|umask)|homedir|0o[67]00\b|'(?:win32|darwin|linux|SIGINT|SIGHUP)'|@napi-rs/
  const asking = globSync('**/*.ts', { cwd: source })
    .filter((path) => asks.test(readFileSync(join(source, path), 'utf8')))
    .map((path) => path.replaceAll('\\', '/'))
  // The program itself listens to the signals that the platform names.
  expect(asking.filter((path) => path !== 'cli.ts' && !path.startsWith('platform/'))).toEqual([])
})
