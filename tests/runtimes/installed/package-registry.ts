import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { readTarball } from '../../../scripts/release/packed-package.ts'
import { listenOnLoopback } from '../../support/loopback.ts'

/** A registry of packages, for one scope. */
export interface PackageRegistry {
  readonly url: string
  /** The packages that it has, each with its version. */
  readonly versions: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Serves tarballs as the registry of npm does, so that ranges and names are resolved as users' are. */
export async function startPackageRegistry(tarballs: readonly string[]): Promise<PackageRegistry> {
  const responses = new Map<string, string | Uint8Array>()
  const versions: Record<string, string> = {}
  const server = createServer(({ url = '' }, outgoing) => {
    const response = responses.get(decodeURIComponent(url))
    outgoing.writeHead(response === undefined ? 404 : 200).end(response ?? '{}')
  })
  const { url, close } = await listenOnLoopback(server)

  for (const path of tarballs) {
    const { manifest } = await readTarball(path)
    const { name, version } = manifest
    const bytes = await readFile(path)
    const file = `${name}/-/${version}.tgz`
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    responses.set(`/${file}`, bytes)
    responses.set(
      `/${name}`,
      JSON.stringify({
        name,
        'dist-tags': { latest: version },
        versions: {
          [version]: { ...manifest, dist: { tarball: `${url.href}${file}`, integrity } },
        },
        // Package managers are wary of what was published today.
        time: { [version]: '2026-01-01T00:00:00.000Z' },
      }),
    )
    versions[name] = version
  }
  return {
    url: url.href,
    versions,
    close,
  }
}
