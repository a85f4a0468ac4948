import { signInFailed } from './errors.ts'

/** Loads a module of Node where there is one: a page has none, and a bundler for pages must not look for it. */
export async function loadNode<Module>(module: string, caller: string): Promise<Module> {
  const name = ['node', module].join(':')
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> }
  const found = process?.getBuiltinModule?.(name) as Module | undefined
  try {
    return found ?? ((await import(/* @vite-ignore */ name)) as Module)
  } catch (cause) {
    throw signInFailed(`${caller} needs a runtime with ${name}: use deviceCode()`, { cause })
  }
}
