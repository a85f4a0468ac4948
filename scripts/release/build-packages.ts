import { pnpm } from './pnpm.ts'
import { repository } from './repository.ts'

/**
 * Builds every public package, as far as it has changed since.
 *
 * @throws {Error} if one cannot be built.
 */
export async function buildPackages(...options: readonly string[]): Promise<void> {
  await pnpm(['--dir', repository, 'run', 'build', ...options])
}
