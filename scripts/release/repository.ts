import { join } from 'node:path'

/** The root of this repository. */
export const repository: string = join(import.meta.dirname, '../..')
