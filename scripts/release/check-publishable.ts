/** What this check reads of the package.json of a public package. */
export interface VersionedManifest {
  readonly name: string
  readonly version: string
}

/**
 * Why nothing may be published from here, a line for each reason.
 *
 * @param changes - What `git status --porcelain` prints.
 */
export function checkPublishable(
  manifests: readonly VersionedManifest[],
  changes: string,
): string[] {
  return [
    // npm never gives a version back.
    ...manifests
      .filter(({ version }) => version === '0.0.0')
      .map(
        ({ name }) => `${name} has no version yet: merge the pull request with the versions first`,
      ),
    ...changes
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${line.slice(3)} is not committed`),
  ]
}
