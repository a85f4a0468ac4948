import { join } from 'node:path'
import { outputIn } from '../../../tests/support/run-program.ts'
import { site } from '../../src/pages.ts'

/** Runs before the tests, since what a reader gets is what is built. */
export async function setup(): Promise<void> {
  await outputIn(site, [process.execPath, join(site, 'build.ts')], { NODE_ENV: 'production' })
}
