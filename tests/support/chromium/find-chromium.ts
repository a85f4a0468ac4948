import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The path of Debian's Chromium. */
export async function findChromium(): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'chromium')
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  throw new Error('chromium is missing; get it with: apt-get install chromium')
}
