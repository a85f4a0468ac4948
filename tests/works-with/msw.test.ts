import { createEmulator } from '@svc/emulator'
import { emulatorHandler } from '@svc/emulator/msw'
import { setupServer } from 'msw/node'
import { expect, test, vi } from 'vitest'
import { testHandler } from './msw-suite.ts'

testHandler()

test('a latency ends when the server closes', async () => {
  const finished = vi.fn<() => void>()
  const emulator = createEmulator({ onRequest: finished })
  emulator.fault({ latencyMs: 3_600_000 })
  const baseUrl = 'https://search.example.com'
  const server = setupServer(emulatorHandler(emulator, { baseUrl }))
  server.listen()
  const pending = fetch(`${baseUrl}/V1/a`).catch((error: unknown) => error)
  await vi.waitUntil(() => emulator.requests.length === 1, 30_000)
  server.close()
  await vi.waitUntil(() => finished.mock.calls.length === 1, 30_000)
  expect(await pending).toBeInstanceOf(TypeError)
  server.listen()
  emulator.reset()
  expect((await fetch(`${baseUrl}/V1/a`)).status).toBe(403)
  server.close()
})
