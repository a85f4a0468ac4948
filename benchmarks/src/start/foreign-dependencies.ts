import { readFile } from 'node:fs/promises'

const clientPackages = [
  'types',
  'auth-hooks',
  'auth-token',
  'auth-sigv4',
  'route-auth-selector',
  'service-auth',
]

/** Returns the dependencies of our client packages other than each other. */
export async function foreignDependencies(): Promise<string[]> {
  const names = await Promise.all(
    clientPackages.map(async (name) => {
      const path = new URL(`../../../packages/${name}/package.json`, import.meta.url)
      // It is a package.json.
      const { dependencies = {} } = JSON.parse(await readFile(path, 'utf8')) as {
        dependencies?: Record<string, string>
      }
      return Object.keys(dependencies)
    }),
  )
  return [...new Set(names.flat())].filter((name) => !name.startsWith('@svc/'))
}
