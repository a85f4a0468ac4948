import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '../../tests/support/run-program.ts'
import { buildAnew } from './build-anew.ts'
import { checkPublishable, type VersionedManifest } from './check-publishable.ts'
import { checkTarballs } from './check-tarballs.ts'
import { packPackages } from './pack-packages.ts'
import { pnpm } from './pnpm.ts'
import { publishPacked } from './publish-packed.ts'
import { publicPackages } from './public-packages.ts'
import { repository } from './repository.ts'

// Publishes the versions that the registry does not have yet: the very tarballs that were checked. With --dry-run
// every package is packed and checked, and nothing is published.
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' } } })

async function packUnpublished(folder: string): Promise<string[]> {
  const manifests = publicPackages().map(
    // A manifest of this very repository.
    (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as VersionedManifest,
  )
  const git = await run('git', ['-C', repository, 'status', '--porcelain'])
  if (git.status !== 0) throw new Error(git.stderr)
  const reasons = checkPublishable(manifests, git.stdout)
  if (reasons.length > 0) throw new Error(`Nothing was published.\n${reasons.join('\n')}`)
  console.log(await pnpm(['exec', 'changeset', 'pack', '--out-dir', folder]))
  return globSync(join(folder, 'packages/*.tgz'))
}

const folder = await mkdtemp(join(tmpdir(), 'svc-auth-release-'))
try {
  await buildAnew()
  const tarballs = await (values['dry-run'] ? packPackages(folder) : packUnpublished(folder))
  if (!(await checkTarballs(tarballs))) process.exitCode = 1
  else if (!values['dry-run'] && tarballs.length > 0 && !(await publishPacked(folder))) {
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true })
}
