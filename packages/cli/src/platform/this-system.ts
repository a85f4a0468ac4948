import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import type { System } from './platform.ts'

/** The system that this process runs on. */
export const thisSystem: System = {
  name: process.platform,
  env: process.env,
  home() {
    try {
      return homedir()
    } catch {
      // A user without one, as in a container, can keep nothing: there is no folder below that name.
      return '/dev/null'
    }
  },
  userId: process.getuid,
  importKeyring: () => import('@napi-rs/keyring'),
  kill(id, signal) {
    try {
      process.kill(id, signal)
    } catch {
      // It has ended.
    }
  },
  start: (program, args) =>
    void spawn(program, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {}),
}
