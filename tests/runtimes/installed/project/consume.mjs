import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { resolve } = createRequire(import.meta.url)

/** Loads every entry in one way, sends a request of each kind, and prints what came of it. */
export async function consume(load) {
  const entries = {}
  const digests = {}
  for (const name of process.argv.slice(2)) {
    const file = resolve(name)
    const exported = Object.keys(await load(name)).sort()
    const folder = file.replace(/(?<=[\\/]dist)[\\/].*/, '')
    digests[folder] ??= digestOf(folder)
    entries[name] = { file, exported, digest: digests[folder] }
  }
  console.log(JSON.stringify({ entries, responses: await sendRequests(load) }))
}

/** Of the names and the texts of all modules that a folder holds. */
function digestOf(folder) {
  const hash = createHash('sha256')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const module of files.filter((file) => file.endsWith('.js')).sort()) {
    hash.update(`${module}\n`).update(readFileSync(join(folder, module)))
  }
  return hash.digest('hex')
}

async function sendRequests(load) {
  const { createEmulator, defaultApiKeys, defaultUsers } = await load('@svc/emulator')
  const { authFetch, createServiceAuth } = await load('@svc/service-auth')

  const emulator = createEmulator()
  const service = await emulator.listen()
  const { username, password } = defaultUsers[0]
  const baseUrl = service.url
  const send = authFetch(
    createServiceAuth({
      baseUrl,
      region: 'us-east-1',
      user: { username, password },
      apiKey: defaultApiKeys[0],
    }),
  )
  try {
    const groups = await send(new URL('/user/groups', baseUrl))
    const object = new URL('/V1/reports/a b+c.csv', baseUrl)
    const stored = await send(object, { method: 'PUT', body: 'a;b;c' })
    const read = await send(object)
    const statuses = [groups.status, stored.status, read.status]
    return { logins: emulator.logins, statuses, read: await read.text() }
  } finally {
    await service.close()
  }
}
