import { readFile } from 'node:fs/promises'
import { parseTarGzip } from 'nanotar'

/** A tarball as npm would unpack it. */
export interface PackedPackage {
  readonly manifest: Manifest
  /** The text of every file, by its path in the package. */
  readonly files: ReadonlyMap<string, string>
  /** Paths that no package manager would unpack into the package. */
  readonly strays: readonly string[]
  /** The size of the tarball. */
  readonly sizeBytes: number
}

/** The fields of a packed package.json that every check needs, and any others. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly [field: string]: unknown
}

/**
 * Reads a tarball.
 *
 * @throws {Error} if it holds no package.json with a name and a version.
 */
export async function readTarball(path: string): Promise<PackedPackage> {
  const tarball = await readFile(path)
  const files = new Map<string, string>()
  const strays: string[] = []
  for (const { name, type, text } of await parseTarGzip(tarball)) {
    if (type === 'directory') continue
    if (type === 'file' && name.startsWith('package/')) files.set(name.slice(8), text)
    else strays.push(name)
  }
  const manifest: unknown = JSON.parse(files.get('package.json') ?? 'null')
  if (!isManifest(manifest)) throw new Error(`${path} has no package.json with name and version`)
  return { manifest, files, strays, sizeBytes: tarball.byteLength }
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null) return false
  if (!('name' in value) || !('version' in value)) return false
  return typeof value.name === 'string' && typeof value.version === 'string'
}
