import { checkEntries } from './check-entries.ts'
import { checkPackage } from './check-package.ts'
import { type PackedPackage, readTarball } from './packed-package.ts'
import { repository } from './repository.ts'

/** Prints the contents and the faults of each tarball; returns `true` if there are no faults. */
export async function checkTarballs(paths: readonly string[]): Promise<boolean> {
  let areGood = true
  for (const path of paths) {
    const packed = await readTarball(path)
    const faults = [...checkPackage(packed, repository), ...(await checkEntries(path))]
    console.log([describe(packed), ...faults.map((fault) => `  ✗ ${fault}`)].join('\n'))
    if (faults.length > 0) areGood = false
  }
  return areGood
}

/** Describes a package in one line: name, version, size, and what lies in it, folders with their counts. */
function describe({ manifest, files, sizeBytes }: PackedPackage): string {
  const folders = new Map<string, number>()
  for (const path of files.keys()) {
    const [first = ''] = path.split('/')
    const entry = path === first ? path : `${first}/`
    folders.set(entry, (folders.get(entry) ?? 0) + 1)
  }
  const contents = [...folders].map(([entry, count]) =>
    entry.endsWith('/') ? `${entry} (${count} files)` : entry,
  )
  const size = `${(sizeBytes / 1000).toFixed(1)} kB`
  return `${manifest.name}@${manifest.version}  ${size}  ${contents.sort().join(', ')}`
}
