import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** Makes a folder whose programs stand in for those that open a browser: they load the address, and follow redirects. */
export async function fakeBrowser(): Promise<{
  readonly path: string
  remove(): Promise<void>
}> {
  const path = await mkdtemp(join(tmpdir(), 'svc-auth-browser-'))
  // A `fetch` would say that a script sends the request, and not a user.
  const load = `const{get}=require('node:http');const load=(url)=>get(url,({headers:{location}})=>location&&load(location));load(process.argv[1])`
  for (const name of ['xdg-open', 'open']) {
    await writeFile(
      join(path, name),
      `#!/bin/sh\nexec "${process.execPath}" -e "${load}" -- "$1"\n`,
    )
    await chmod(join(path, name), 0o755)
  }
  return { path, remove: () => rm(path, { recursive: true }) }
}
