// Builds and starts this Next.js application, with the emulator in place of the service.
// It uses the packages as users get them, so build them first.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import { createEmulator, defaultUsers } from '@svc/emulator'

const emulator = createEmulator()
const service = await emulator.listen()
const [{ username, password }] = defaultUsers

const next = createRequire(import.meta.url).resolve('next/dist/bin/next')
const cwd = import.meta.dirname
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
const built = spawnSync(process.execPath, [next, 'build'], { cwd, env, encoding: 'utf8' })
if (built.status !== 0) throw new Error(`next build\n${built.stdout}${built.stderr}`)

// The service's secrets are available only at run time.
const started = spawn(process.execPath, [next, 'start', '--hostname', '127.0.0.1', '--port', '0'], {
  cwd,
  env: {
    ...env,
    SERVICE_URL: service.url.href,
    SERVICE_USERNAME: username,
    SERVICE_PASSWORD: password,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const url = new URL('/api/groups', await addressOf(started.stdout))
  const visits = await Promise.all([fetch(url), fetch(url)])
  for (const visit of visits) console.log(visit.status, await visit.text())
  console.log(`${emulator.logins} login`)

  // And one while nobody can log in.
  emulator.revokeTokens()
  emulator.fault({ path: '/user/login', status: 503 })
  const failed = await fetch(url)
  console.log(failed.status, await failed.text())
} finally {
  started.kill()
  await once(started, 'close')
  await service.close()
}

async function addressOf(output: Readable): Promise<string> {
  let text = ''
  // Not destroyed, since Next.js has more to print.
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
    if (address) return address[0]
  }
  throw new Error(`next start\n${text}`)
}
