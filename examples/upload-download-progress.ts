// Uploads and downloads a file as signed streams, and reports progress.
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { streaming } from '@svc/auth-sigv4/streaming'
import { createEmulator, defaultApiKeys } from '@svc/emulator'

// The emulator stands in for the service: use your environment's domain, region and key.
const service = await createEmulator().listen()
const path = '/V1/backups/monday.tar'

const auth = createSigV4Auth({
  baseUrl: service.url,
  region: 'us-east-1',
  credentials: defaultApiKeys[0],
  // Each chunk is signed as it is sent, followed by a checksum of the whole.
  payload: streaming({ trailer: 'crc32c' }),
})
const serviceFetch = authFetch(auth, { baseUrl: service.url })

const folder = await mkdtemp(join(tmpdir(), 'progress-'))
try {
  const source = join(folder, 'monday.tar')
  await writeFile(source, new Uint8Array(4 * 1024 * 1024))
  const file = await openAsBlob(source)
  const upload = {
    method: 'PUT',
    headers: { 'content-length': String(file.size), 'content-type': 'application/x-tar' },
    body: file.stream().pipeThrough(progress('up', file.size)),
  }
  const stored = await serviceFetch(path, upload)
  if (!stored.ok) throw new Error(`PUT ${path}: ${stored.status}`)

  const response = await serviceFetch(path)
  if (!response.ok || !response.body) throw new Error(`GET ${path}: ${response.status}`)
  const size = Number(response.headers.get('content-length'))
  const target = createWriteStream(join(folder, 'copy.tar'))
  await pipeline(response.body.pipeThrough(progress('down', size)), target)
  console.log(`read: ${target.bytesWritten} bytes`)
} finally {
  await rm(folder, { recursive: true })
  await service.close()
}

function progress(label: string, total: number): TransformStream<Uint8Array, Uint8Array> {
  let [done, shown] = [0, 0]
  return new TransformStream({
    transform(chunk, controller) {
      done += chunk.byteLength
      const quarters = Math.floor((done / total) * 4)
      if (quarters > shown) console.log(`${label} ${quarters * 25} %`)
      shown = quarters
      controller.enqueue(chunk)
    },
  })
}
