/** The fields of a package.json that this check reads. */
export interface VersionedManifest {
  readonly name: string
  readonly version: string
}

/**
 * Returns a line for each reason why nothing may be published from here.
 *
 * @param changes - The output of `git status --porcelain`.
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
