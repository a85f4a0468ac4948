import { createEmulator } from '@svc/emulator'
import { onTestFinished } from 'vitest'
import { startProcess } from './start-proxy-process.ts'

/** Starts an emulator, and a proxy for it as a process of its own. */
export async function startProxy(...flags: readonly string[]) {
  const emulator = createEmulator()
  const service = await emulator.listen()
  onTestFinished(() => service.close())
  const { url } = await startProcess({ baseUrl: service.baseUrl, flags })
  return { emulator, serviceUrl: service.baseUrl, proxyUrl: url }
}
