/** The part of a changeset that a changelog shows. */
interface Changeset {
  readonly summary: string
}

/** A package that is released in the same run. */
interface ReleasedPackage {
  readonly name: string
  readonly newVersion: string
}

// A changelog is read by people who have no clone: no commits, and each dependency once.

/** Returns the item of a changeset, for `changeset version`. */
export function getReleaseLine({ summary }: Changeset): string {
  const [first = '', ...others] = summary.trim().split('\n')
  return [`- ${first}`, ...others.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

/** Returns the section of the packages that this one needs at their new versions, for `changeset version`. */
export function getDependencyReleaseLine(
  _changesets: readonly Changeset[],
  dependencies: readonly ReleasedPackage[],
): string {
  if (dependencies.length === 0) return ''
  const items = dependencies.map(({ name, newVersion }) => `- \`${name}\` ${newVersion}`).sort()
  return ['', '', '### Dependencies', '', ...items].join('\n')
}

/** Gives the sections of a changelog headings that say what a reader finds there. */
export function withHeadings(changelog: string): string {
  return changelog
    .replaceAll(/^### Patch Changes\n+(?=### )/gm, '')
    .replaceAll(/^### Patch Changes$/gm, '### Fixes and additions')
    .replaceAll(/^### Minor Changes$/gm, '### Changes')
    .replaceAll(/^### Major Changes$/gm, '### Breaking changes')
}
