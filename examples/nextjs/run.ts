// Builds and starts this Next.js application, with the emulator in place of the service.
// It uses the packages as users get them, so build them first.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { startService, visit } from '../stand-ins/visitors.ts'
import { ann, copyLink, signIn, upload } from './visits.ts'

const next = createRequire(import.meta.url).resolve('next/dist/bin/next')
const cwd = import.meta.dirname
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
const built = spawnSync(process.execPath, [next, 'build'], { cwd, env, encoding: 'utf8' })
const report = built.stdout + built.stderr
// It builds with errors, too.
if (built.status !== 0 || report.includes('Error:')) throw new Error(`next build\n${report}`)

// The service's address and secrets are in the environment only at run time.
const { emulator, close } = await startService([ann])
const started = spawn(process.execPath, [next, 'start', '--hostname', '127.0.0.1', '--port', '0'], {
  cwd,
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
})
const errors = text(started.stderr)
try {
  const origin = await addressOf(started.stdout)
  await visit(emulator, (path) => fetch(origin + path))
  emulator.reset()
  await upload(emulator, origin)
  await copyLink(origin)
  await signIn(emulator, origin)
} finally {
  started.kill()
  await once(started, 'close')
  await close()
  // The route writes why no login was possible.
  console.log(/\[@svc\/auth-token\].*/.exec(await errors)?.[0])
}

async function addressOf(output: Readable): Promise<string> {
  let printed = ''
  // Not destroyed, since Next.js has more to print.
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)
    if (address) return address[0]
  }
  throw new Error(`next start\n${printed}`)
}
