import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import type { System } from './platform.ts'

/** The system that this process runs on. */
export const thisSystem: System = {
  name: process.platform,
  env: process.env,
  home() {
    let home = ''
    try {
      home = homedir()
    } catch {
      // A user whom the system does not know, as in a container.
    }
    // Without one nothing can be kept, and nothing of the current folder is taken: there is none below this name.
    return isAbsolute(home) ? home : '/dev/null'
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
