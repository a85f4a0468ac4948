/// <reference types="node" />
import { lstatSync, mkdirSync, readFileSync, readlinkSync } from 'node:fs'
import * as files from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Platform, System } from './platform.ts'
import { patientFiles } from './windows.ts'

/** The name of this host, which stays what it is; read at the first lock. */
let host: string | undefined

/** The system that this process runs on. */
export const thisSystem: System = {
  name: process.platform,
  environment: process.env,
  pid: process.pid,
  files,
  home: homedir,
  host: () => (host ??= readHost()),
  uid: () => process.getuid?.(),
  findProcess: (pid) => void process.kill(pid, 0),
  openFolder(path) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return lstatSync(path)
  },
  now: () => Date.now(),
  wait: (ms) => delay(ms),
}

/**
 * Hosts and containers that share a folder may share a name, too, and the pids of one mean nothing in the other. On
 * Linux the boot and the pid namespace tell them apart.
 */
function readHost(): string {
  try {
    if (process.platform !== 'linux') return hostname()
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return [hostname(), boot, readlinkSync('/proc/self/ns/pid')].join(' ')
  } catch {
    return ''
  }
}

/** Gives a system the rules that it has by its name. */
export function platformOf(system: System): Platform {
  const isPosix = system.name !== 'win32'
  return { ...system, isPosix, files: isPosix ? system.files : patientFiles(system) }
}
