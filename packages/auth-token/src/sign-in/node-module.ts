import type child from 'node:child_process'
import type http from 'node:http'
import { signInFailed } from './errors.ts'

/** The modules of Node that a sign-in needs. */
export interface NodeModules {
  readonly child_process: typeof child
  readonly http: typeof http
}

/** Returns a module of Node where there is one: a page has none, and a bundler for pages must not look for it. */
export function loadNode<Name extends keyof NodeModules>(
  name: Name,
  caller: string,
): NodeModules[Name] {
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> }
  const found = process?.getBuiltinModule?.(`node:${name}`)
  // By its name, it is that module.
  if (found) return found as unknown as NodeModules[Name]
  throw signInFailed(
    `${caller} needs node:${name}, as Node gives it from 20.16 on: use deviceCode()`,
  )
}
