// Runs worker.ts in workerd, as `wrangler dev` does, with the emulator in place of the service.
import { fileURLToPath } from 'node:url'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

const emulator = createEmulator()
const service = await emulator.listen()
const [{ username, password }] = defaultUsers

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
  bundle: true,
  format: 'esm',
  external: ['cloudflare:workers'],
  // The first is for this repository only: it takes the packages' sources, which need no build.
  conditions: ['@svc/source', 'workerd', 'worker'],
  write: false,
})

const miniflare = new Miniflare({
  modules: true,
  script: outputFiles[0]?.text ?? '',
  compatibilityDate: '2026-01-01',
  bindings: {
    SERVICE_URL: service.url.href,
    SERVICE_USERNAME: username,
    SERVICE_PASSWORD: password,
  },
})

try {
  const visits = [1, 2].map(() => miniflare.dispatchFetch('https://worker.example/'))
  for (const visit of await Promise.all(visits)) console.log(visit.status, await visit.text())
  console.log(`${emulator.logins} login`)

  // And one while nobody can log in.
  emulator.revokeTokens()
  emulator.fault({ path: '/user/login', status: 503 })
  const failed = await miniflare.dispatchFetch('https://worker.example/')
  console.log(failed.status, await failed.text())
} finally {
  await miniflare.dispose()
  await service.close()
}
