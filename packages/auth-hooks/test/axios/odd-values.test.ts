import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { AxiosAdapter, AxiosRequestConfig, CancelToken } from 'axios'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { clients, failure } from './clients.ts'

/** A file that is not the one it was when it was opened. */
async function changedFile(): Promise<Blob> {
  const folder = await mkdtemp(join(tmpdir(), 'odd-values-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'file')
  await writeFile(path, 'before')
  const file = await openAsBlob(path)
  await writeFile(path, 'and after')
  return file
}

describe.each(clients)('%s', (_name, client) => {
  test.each<[string, unknown]>([
    ['a text', 'a signal'],
    ['a number', 1],
    ['true', true],
    ['an object', { aborted: false }],
    ['half a signal', { aborted: false, addEventListener() {} }],
  ])('rejects %s as a signal, and sends nothing', async (_kind, signal) => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    const error = await failure(api.get(server.origin, { signal } as AxiosRequestConfig))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toBe('[@svc/auth-hooks] authAxios: signal must be an AbortSignal')
    expect(server.arrived).toEqual([])
  })

  test('rejects what is no cancel token, and sends nothing', async () => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    const cancelToken = { throwIfRequested() {}, subscribe() {} } as unknown as CancelToken
    const error = await failure(api.get(server.origin, { cancelToken }))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toBe('[@svc/auth-hooks] authAxios: cancelToken must be a CancelToken')
    expect(server.arrived).toEqual([])
  })

  test('gives an adapter what an interceptor has set under a symbol', async () => {
    const server = await serve()
    const key = Symbol('started')
    const seen: unknown[] = []
    const adapter: AxiosAdapter = async (config) => {
      seen.push(Reflect.get(config, key))
      return { status: 200, statusText: 'OK', headers: {}, data: '', config }
    }
    const api = client.create(recordingScheme([server.origin]), { adapter })
    api.interceptors.request.use((config) => Object.assign(config, { [key]: 1 }))
    await api.get(server.origin)
    expect(seen).toEqual([1])
  })

  test('takes no options from an own __proto__', async () => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    const value = { transport: 'another', socketPath: '/elsewhere' }
    api.interceptors.request.use((config) =>
      Object.defineProperty(config, '__proto__', { value, enumerable: true }),
    )
    await api.get(server.origin)
    expect(server.arrived).toHaveLength(1)
  })

  test('sends the bytes of shared memory', async () => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    const bytes = new Uint8Array(new SharedArrayBuffer(4)).fill(65)
    await api.put(server.origin, bytes)
    expect(server.arrived.map(({ body }) => body.toString())).toEqual(['AAAA'])
  })

  test('rejects a file that was changed since it was opened', async () => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    await expect(api.put(server.origin, await changedFile())).rejects.toThrow(Error)
    expect(server.arrived).toEqual([])
  })

  test.each<[string, () => unknown]>([
    [
      'a stream of the web',
      () =>
        new ReadableStream({
          pull() {
            throw new DOMException('it was aborted', 'AbortError')
          },
        }),
    ],
    [
      'a stream of Node’s',
      () =>
        Readable.from(
          (async function* () {
            yield 'text'
            throw new DOMException('it was aborted', 'AbortError')
          })(),
        ),
    ],
  ])('rejects %s that fails with a DOMException', async (_kind, body) => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    await expect(api.put(server.origin, body())).rejects.toThrow(Error)
    expect(server.arrived).toEqual([])
  })
})
