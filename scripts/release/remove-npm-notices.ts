import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutNotices } from './npm-notices.ts'
import { repository } from './repository.ts'

// Once the packages have a version, the pull request with it makes every `npm install` of the documents true.
const documents = [
  'README.md',
  '{packages/*,examples}/README.md',
  'docs/{,guides/,coming-from/}*.md',
]
for (const path of globSync(documents, { cwd: repository })) {
  const file = join(repository, path)
  const text = readFileSync(file, 'utf8')
  const released = withoutNotices(text)
  if (released !== text) writeFileSync(file, released)
}
