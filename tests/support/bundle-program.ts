import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { bundle } from './bundle.ts'

const folder = join(import.meta.dirname, '../node_modules/.cache/programs')

/**
 * Writes a program of a test as one file, and returns its path: a process finds and strips the modules of the sources
 * anew each time, which takes longer than what most of the tests watch.
 */
export async function bundleProgram(file: string): Promise<string> {
  const code = await bundle(file, 'node')
  await mkdir(folder, { recursive: true })
  const path = join(folder, basename(file).replace(/\.ts$/, '.mjs'))
  // Whole at once: another worker may run the one that is there.
  const own = `${path}.${process.pid}`
  await writeFile(own, code)
  await rename(own, path)
  return path
}
