import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './repository.ts'

// Writes the version that auth-token has just been given into its code, where a test looks for it.
const folder = join(repository, 'packages/auth-token')
// A manifest of this very repository.
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  version: string
}
const file = join(folder, 'src/version.ts')
const code = readFileSync(file, 'utf8')
writeFileSync(file, code.replace(/(?<=version = ').+(?=')/, version))
