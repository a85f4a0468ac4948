import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHeadings } from './changelog.ts'
import { repository } from './repository.ts'

// `changeset version` lets nobody choose the headings.
for (const path of globSync('packages/*/CHANGELOG.md', { cwd: repository })) {
  const file = join(repository, path)
  writeFileSync(file, withHeadings(readFileSync(file, 'utf8')))
}
