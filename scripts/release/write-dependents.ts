import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { publicPackages } from './public-packages.ts'
import { type Bump, type DependentManifest, raiseDependents } from './raise-dependents.ts'
import { repository } from './repository.ts'

// Writes a changeset for the packages that have to be released with what they depend on. It is not committed:
// `changeset version`, which comes next, turns it into versions and changelogs with the others.
const ranks: readonly Bump[] = ['patch', 'minor', 'major']
const asked = new Map<string, Bump>()
for (const path of globSync('.changeset/*.md', { cwd: repository })) {
  const [, head = ''] = readFileSync(join(repository, path), 'utf8').split(/^---$/m)
  // As `changeset` writes it; it may be empty.
  const releases = (parse(head) ?? {}) as Record<string, Bump>
  for (const [name, bump] of Object.entries(releases)) {
    const known = asked.get(name)
    if (known === undefined || ranks.indexOf(bump) > ranks.indexOf(known)) asked.set(name, bump)
  }
}
const manifests = publicPackages().map(
  // A manifest of this very repository.
  (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as DependentManifest,
)
const raised = raiseDependents(manifests, asked)
if (raised.size > 0) {
  const head = [...raised].map(([name, bump]) => `'${name}': ${bump}`).join('\n')
  const summary =
    'Needs the packages below at these versions. Update all of them together, so that a program loads one copy of each.'
  writeFileSync(join(repository, '.changeset/dependents.md'), `---\n${head}\n---\n\n${summary}\n`)
}
