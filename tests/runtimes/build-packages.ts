import { buildPackages } from '../../scripts/release/build-packages.ts'

/** Runs before the tests, since what users get is what is built. */
export async function setup(): Promise<void> {
  await buildPackages()
}
