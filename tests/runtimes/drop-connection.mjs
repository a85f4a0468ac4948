import { setTimeout as delay } from 'node:timers/promises'
import { createEmulator } from '@svc/emulator'
import { expect, test } from 'bun:test'

test('a connection that the emulator drops rejects', async () => {
  const emulator = createEmulator()
  const service = await emulator.listen()
  emulator.fault({ drop: true })
  // From here on Bun runs the server within a timer of this test, and ticks come late.
  await delay(1)
  const sent = async () => fetch(service.url, { method: 'PUT', body: 'text' })
  await expect(sent()).rejects.toThrow()
  await service.close()
})
