import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of a package as it is installed here. */
export function versionOf(name: string): string {
  const path = findPackageJSON(name, import.meta.url)
  const manifest: unknown = path && JSON.parse(readFileSync(path, 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) {
    return String(manifest.version)
  }
  throw new Error(`${name} is not installed`)
}
