/** How much a release changes. */
export type Bump = 'patch' | 'minor' | 'major'

/** The fields of a package.json that decide who is released with whom. */
export interface DependentManifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const bumps: readonly (Bump | undefined)[] = [undefined, 'patch', 'minor', 'major']

/**
 * Returns the packages that need a larger release than they were asked for, since one that they depend on leaves
 * their range. `changeset version` would give them a patch: everyone with a caret range would get it, with a second
 * copy of the dependency beside the one that they have.
 */
export function raiseDependents(
  manifests: readonly DependentManifest[],
  asked: ReadonlyMap<string, Bump>,
): ReadonlyMap<string, Bump> {
  const raised = new Map<string, Bump>()
  const bumpOf = (name: string): Bump | undefined => raised.get(name) ?? asked.get(name)
  const pending = manifests.filter((one) => isBreaking(one, bumpOf(one.name)))
  for (const { name } of pending) {
    for (const dependent of manifests.filter((one) => dependsOn(one, name))) {
      if (isBreaking(dependent, bumpOf(dependent.name))) continue
      raised.set(dependent.name, breaking(dependent))
      pending.push(dependent)
    }
  }
  return raised
}

/** Returns the smallest bump that leaves a caret range. */
function breaking({ version }: DependentManifest): Bump {
  return version.startsWith('0.') ? 'minor' : 'major'
}

function isBreaking(manifest: DependentManifest, bump: Bump | undefined): boolean {
  return bumps.indexOf(bump) >= bumps.indexOf(breaking(manifest))
}

function dependsOn(manifest: DependentManifest, name: string): boolean {
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  return name in { ...dependencies, ...optionalDependencies, ...peerDependencies }
}
