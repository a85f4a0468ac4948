import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pnpm } from '../release/pnpm.ts'
import { publicPackages } from '../release/public-packages.ts'
import { checkDependencies, type DependencyManifest } from './check-dependencies.ts'
import { checkLicences, type LicenceList } from './check-licences.ts'

// Checks the dependencies that our packages bring to their users, and the licences of everything that
// is installed here.
const manifests = publicPackages().map(
  // A manifest of this very repository.
  (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as DependencyManifest,
)
const forUsers = new Set(
  manifests.flatMap(({ dependencies, peerDependencies }) =>
    Object.keys({ ...dependencies, ...peerDependencies }),
  ),
)
// pnpm prints it in this form.
const list = JSON.parse(await pnpm(['licenses', 'list', '--recursive', '--json'])) as LicenceList
const faults = [
  ...checkDependencies(manifests),
  ...checkLicences(list, (name) => forUsers.has(name)),
]
const counts = Object.entries(list).map(([licence, packages]) => `${licence} ${packages.length}`)
console.log([counts.join(', '), ...faults.map((fault) => `✗ ${fault}`)].join('\n'))
if (faults.length > 0) process.exitCode = 1
