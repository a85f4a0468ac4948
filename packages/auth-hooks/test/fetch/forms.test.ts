import { setTimeout as sleep } from 'node:timers/promises'
import { authFetch, authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import type { AuthScheme, Fetch } from '@svc/types'
import ky from 'ky'
import { expect, onTestFinished, test, vi } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

function largeForm(): FormData {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(20_000_000)]))
  return form
}

/** A request with a form that Node is still reading when it has long been made. */
function formRequest(signal: AbortSignal): Request {
  return new Request('https://a.example', { method: 'PUT', body: largeForm(), signal })
}

const failing: AuthScheme = {
  ...recordingScheme(['https://a.example']),
  authorize: () => Promise.reject(new Error('no login')),
}

// Node would end the process after the call, for an error that nobody can catch.
test.each<[string, (request: Request, abort: () => void) => Promise<unknown>]>([
  ['is not covered', (request) => authFetch(recordingScheme([]))(request)],
  ['gets no credential', (request) => authFetch(failing)(request)],
  ['is too large to keep', (request) => authFetch(failing, { maxReplayBytes: 1 })(request)],
  ['is only authorized', (request) => authorizeRequest(failing, request)],
  [
    'is sent by a fetch that fails',
    (request) =>
      authFetch(recordingScheme(['https://a.example']), {
        maxReplayBytes: 1,
        fetch: () => Promise.reject(new Error('no connection')),
      })(request),
  ],
  [
    'ky lets go of, since a hook fails',
    () => {
      // A header that is refused before the form is read.
      const headers = { 'x-odd': 'a\u0001' }
      const hooks = kyAuthHooks(failing)
      return ky('https://a.example', { method: 'PUT', body: largeForm(), retry: 0, headers, hooks })
    },
  ],
  [
    'is given up',
    (request, abort) => {
      setTimeout(abort, 2)
      return authFetch(failing)(request)
    },
  ],
])('a Request with a form that %s is let go of in peace', async (_case, send) => {
  const uncaught: unknown[] = []
  const listen = (error: unknown): void => void uncaught.push(error)
  process.on('unhandledRejection', listen)
  onTestFinished(() => void process.off('unhandledRejection', listen))
  const controller = new AbortController()
  const call = send(formRequest(controller.signal), () => controller.abort())
  await expect(call).rejects.toThrow(Error)
  await sleep(300)
  expect(uncaught).toEqual([])
})

// As the package form-data makes it.
class FormOfPackage {
  readonly [Symbol.toStringTag] = 'FormData'
}

test('a form of a package that nobody can read is not sent as the text [object FormData]', async () => {
  const fetch = vi.fn<Fetch>(async () => new Response())
  const send = authFetch(recordingScheme(['https://a.example']), { fetch })
  // A value that is no form to the types.
  const body = new FormOfPackage() as never
  const sent = send('https://a.example', { method: 'PUT', body })
  await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
  expect(fetch).not.toHaveBeenCalled()
})

test('a form of the runtime that nobody can read is sent as it came', async () => {
  vi.stubGlobal('FormData', FormOfPackage)
  onTestFinished(() => void vi.unstubAllGlobals())
  const fetch = vi.fn<Fetch>(async () => new Response())
  const send = authFetch(recordingScheme(['https://a.example']), { fetch })
  const body = new FormData()
  await send('https://a.example', { method: 'PUT', body })
  expect(fetch.mock.calls[0]?.[1]?.body).toBe(body)
})

test('a Blob with a name of its own is still a Blob', async () => {
  class Upload extends Blob {
    readonly [Symbol.toStringTag] = 'Upload'
  }
  const fetch = vi.fn<Fetch>(async () => new Response())
  const scheme = recordingScheme(['https://a.example'])
  const body = new Upload(['text'])
  await authFetch(scheme, { fetch })('https://a.example', { method: 'PUT', body })
  expect(fetch.mock.calls[0]?.[1]?.body).toBe(body)
})

/** A Blob of a package, of which Node's `fetch` would send the text `[object Blob]`. */
class BlobOfPackage {
  readonly [Symbol.toStringTag] = 'Blob'
  readonly #native: Blob

  constructor(parts: BlobPart[], options?: BlobPropertyBag) {
    this.#native = new native.Blob(parts, options)
  }

  get size(): number {
    return this.#native.size
  }

  get type(): string {
    return this.#native.type
  }

  stream(): ReadableStream {
    return this.#native.stream()
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#native.arrayBuffer()
  }
}
const native = { Blob }

test('a Blob of a package that stands in the place of the global one is sent as it was signed', async () => {
  vi.stubGlobal('Blob', BlobOfPackage)
  onTestFinished(() => void vi.unstubAllGlobals())
  const server = await serve()
  const send = authFetch(recordingScheme([server.origin]))
  const form = new FormData()
  form.set('name', 'value')
  await send(server.origin, { method: 'PUT', body: new Blob(['text']) })
  await send(server.origin, { method: 'PUT', body: form })
  const [blob, multipart] = server.arrived.map(({ body }) => body.toString())
  expect(blob).toBe('text')
  expect(multipart).toMatch(/name="name"\r\n\r\nvalue\r\n/)
})

test('a Blob that has nothing to be read by, and is none to the runtime either, is not sent', async () => {
  const body = { [Symbol.toStringTag]: 'Blob', size: 4, type: '' } as never
  const fetch = vi.fn<Fetch>(async () => new Response())
  const scheme = recordingScheme(['https://a.example'])
  const reading: AuthScheme = {
    ...scheme,
    authorize: async (request) => {
      await request.body?.bytes()
      return scheme.authorize(request)
    },
  }
  const sent = authFetch(reading, { fetch })('https://a.example', { method: 'PUT', body })
  await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
  expect(fetch).not.toHaveBeenCalled()
})
