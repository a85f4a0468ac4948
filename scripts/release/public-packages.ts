import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repository } from './repository.ts'

/** Returns the folders of the packages that are published. */
export function publicPackages(): string[] {
  return globSync('packages/*/package.json', { cwd: repository })
    .sort()
    .map((path) => join(repository, path))
    .filter((path) => !isPrivate(path))
    .map((path) => dirname(path))
}

function isPrivate(path: string): boolean {
  // A manifest of this very repository.
  const { private: value } = JSON.parse(readFileSync(path, 'utf8')) as { private?: boolean }
  return value === true
}
