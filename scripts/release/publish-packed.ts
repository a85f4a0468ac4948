import { pnpm } from './pnpm.ts'

/**
 * Publishes what `changeset pack` packed into a folder, each package after those that it depends on; returns `true`
 * if the registry confirmed all of it.
 */
export async function publishPacked(folder: string): Promise<boolean> {
  try {
    console.log(await pnpm(['exec', 'changeset', 'publish', '--from-pack-dir', folder]))
    return true
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error(
      'Not everything was published. Once the cause is gone, run the same command or job again on the same commit: ' +
        'it asks the registry, and publishes only what is missing there.',
    )
    return false
  }
}
