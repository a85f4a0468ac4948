import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../pages.ts'
import type { Part } from './compose.ts'

/** Returns the page of changes: those that are not released yet, then the changelog of each package. */
export function changelogParts(): readonly Part[] {
  const logs = globSync('packages/*/CHANGELOG.md', { cwd: root }).sort()
  const waiting = globSync('.changeset/*.md', { cwd: root })
    .sort()
    .filter((path) => path !== '.changeset/README.md')
    .map((path) => ({ document: path, text: changeset(path) }))
  const title = { document: 'site', text: '# Changelog' }
  const unreleased = { document: 'site', text: '## Not yet released' }
  return [
    title,
    ...(waiting.length > 0 ? [unreleased, ...waiting] : []),
    ...logs.map((path) => ({ document: path, text: changelog(path) })),
  ]
}

/** A changeset names its packages and the kind of release in its front matter. */
function changeset(path: string): string {
  const [, head = '', body = ''] =
    /^---\n([^]*?)\n---\n([^]*)$/.exec(readFileSync(join(root, path), 'utf8')) ?? []
  const packages = [...head.matchAll(/'([^']+)': (\w+)/g)].map(
    ([, name = '', kind = '']) => `${name} (${kind})`,
  )
  return `### ${packages.join(', ')}\n\n${body.trim()}`
}

/** A changelog has the name of its package as title; each level moves down by one. */
function changelog(path: string): string {
  const text = readFileSync(join(root, path), 'utf8')
  return text.replace(/^#+(?= )/gm, (marks) => `#${marks}`).trim()
}
