import { join } from 'node:path'
import { build } from 'vite'

/** Builds the page once, for every test that opens it. */
export async function setup(): Promise<void> {
  const configFile = join(import.meta.dirname, '../../vite.config.ts')
  await build({ configFile, logLevel: 'warn' })
}
