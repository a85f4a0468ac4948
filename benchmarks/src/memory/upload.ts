import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { streaming } from '@svc/auth-sigv4/streaming'
import { defaultApiKeys } from '@svc/emulator'
import { report } from '../jobs/report.ts'
import { region } from '../requests/schemes.ts'
import { uploadJob } from './memory-jobs.ts'

// The same piece every time, since V8 lets some 60 to 110 MiB of fresh ones pile up, whoever reads them.
const piece = new Uint8Array(65_536)

await report(uploadJob, async ({ url, sender, bytes }) => {
  const options = { baseUrl: url, region, credentials: defaultApiKeys[0], payload: streaming() }
  const send = sender === 'fetch alone' ? fetch : authFetch(createSigV4Auth(options))
  const upload = async (length: number): Promise<void> => {
    const init: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      headers: { 'content-length': String(length) },
      body: zeros(length),
      duplex: 'half',
    }
    const response = await send(`${url}/V1/large.bin`, init)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`status ${response.status}`)
  }
  // Not measured: code, caches and buffers of the first use are no part of the upload.
  await upload(16 * 1024 ** 2)
  const before = process.resourceUsage().maxRSS
  await upload(bytes)
  return (process.resourceUsage().maxRSS - before) * 1024
})

function zeros(length: number): ReadableStream<Uint8Array> {
  let given = 0
  return new ReadableStream({
    pull(controller) {
      if (given >= length) {
        controller.close()
        return
      }
      given += piece.byteLength
      controller.enqueue(piece)
    },
  })
}
