import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** What a package and its needs take on disk. */
export interface DiskSize {
  readonly bytes: number
  readonly files: number
}

/** Returns what each of our packages takes once it is installed, with all that it depends on. */
export async function diskSizes(names: readonly string[]): Promise<Record<string, DiskSize>> {
  const packed = new Map<string, DiskSize>()
  const sizes: Record<string, DiskSize> = {}
  for (const name of names) {
    let [bytes, files] = [0, 0]
    for (const each of await withNeeds(name)) {
      const size = packed.get(each) ?? (await pack(each))
      packed.set(each, size)
      bytes += size.bytes
      files += size.files
    }
    sizes[name] = { bytes, files }
  }
  return sizes
}

/** Returns what npm would publish of a package. */
async function pack(name: string): Promise<DiskSize> {
  const options = ['pack', '--dry-run', '--json', '--offline', '--ignore-scripts']
  const { stdout } = await execute('npm', options, { cwd: folderOf(name) })
  // npm prints an object in a list.
  const [tarball] = JSON.parse(stdout) as { unpackedSize: number; entryCount: number }[]
  if (!tarball) throw new Error(`npm packs nothing of ${name}`)
  return { bytes: tarball.unpackedSize, files: tarball.entryCount }
}

/** Returns the packages that one needs, itself included: all are ours. */
async function withNeeds(name: string, found = new Set<string>()): Promise<ReadonlySet<string>> {
  if (found.has(name)) return found
  found.add(name)
  const manifest = await readFile(`${folderOf(name)}/package.json`, 'utf8')
  // It is a package.json.
  const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> }
  for (const each of Object.keys(dependencies)) await withNeeds(each, found)
  return found
}

function folderOf(name: string): string {
  return fileURLToPath(new URL(`../../../packages/${name.replace('@svc/', '')}`, import.meta.url))
}
