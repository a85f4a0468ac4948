import { mkdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { buildPackages } from './build-packages.ts'
import { packPackages } from './pack-packages.ts'

// Builds every public package, and packs it into a folder, from which npm installs it.
const [given = 'tarballs'] = process.argv.slice(2)
const folder = resolve(given)
await mkdir(folder, { recursive: true })
await buildPackages()
const tarballs = await packPackages(folder)
console.log([`${folder}:`, ...tarballs.map((path) => `  ${basename(path)}`)].join('\n'))
