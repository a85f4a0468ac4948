import type * as ChildProcess from 'node:child_process'
import type * as Crypto from 'node:crypto'
import type * as Files from 'node:fs/promises'
import { createRequire } from 'node:module'
import type * as Os from 'node:os'
import type * as Tty from 'node:tty'

/** The modules of Node that sources of keys need. */
interface NodeModules {
  readonly child_process: typeof ChildProcess
  readonly crypto: typeof Crypto
  readonly 'fs/promises': typeof Files
  readonly os: typeof Os
  readonly tty: typeof Tty
}

/** Returns a module of Node once it is needed: an import of it would take longer than that of this package. */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  const specifier = `node:${name}`
  // Only Node before 20.16, or from 22.0 to 22.2, needs the second way.
  const found: unknown = process.getBuiltinModule?.(specifier) ?? createRequire('/')(specifier)
  // By its name, it is that module.
  return found as NodeModules[Name]
}
