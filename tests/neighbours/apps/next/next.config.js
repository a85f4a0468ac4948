import { join } from 'node:path'

// The packages are linked from outside of this folder.
const root = join(import.meta.dirname, '../../../..')

export default { turbopack: { root }, outputFileTracingRoot: root }
