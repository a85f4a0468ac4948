// Lets a Node that does not take TypeScript run it as later ones do, with the code that they have built in.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transformSync } from '@swc/wasm-typescript'

/** A hook of `node:module`. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context)
  const filename = fileURLToPath(url)
  const text = await readFile(filename, 'utf8')
  const { code } = transformSync(text, { mode: 'strip-only', filename })
  return { format: 'module', source: code, shortCircuit: true }
}
