/** The fields of a package.json that this check reads. */
export interface DependencyManifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

// Programs run on machines of their own, where few and well-known libraries may come along.
const granted: Readonly<Record<string, readonly string[]>> = {
  '@svc/emulator': ['jose'],
  '@svc/cli': [
    '@clack/prompts',
    '@napi-rs/keyring',
    'commander',
    'oauth4webapi',
    'smol-toml',
    'undici',
  ],
}

/** Returns a line for everything that a package would bring to its users beside our own packages. */
export function checkDependencies(manifests: readonly DependencyManifest[]): string[] {
  const own = new Set(manifests.map(({ name }) => name))
  return manifests.flatMap((manifest) => {
    const { name, dependencies, optionalDependencies, peerDependencies } = manifest
    return [
      ...Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((dependency) => !own.has(dependency) && !granted[name]?.includes(dependency))
        .map((dependency) => `${name} depends on ${dependency}`),
      ...Object.keys({ ...peerDependencies })
        .filter((peer) => manifest.peerDependenciesMeta?.[peer]?.optional !== true)
        .map((peer) => `${name} demands ${peer}`),
    ]
  })
}
