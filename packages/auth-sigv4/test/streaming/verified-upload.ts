import assert from 'node:assert/strict'
import { type RawRequest, verifySigV4 } from '@svc/emulator'
import { apiKey } from '../fixtures/s3-examples.ts'

/** The content of an upload whose signatures all hold. */
export interface VerifiedUpload {
  readonly decoded: Buffer
  /** The sizes of the chunks, that of the final one included. */
  readonly chunkSizes: readonly number[]
  readonly trailer: Readonly<Record<string, string>>
}

/** Verifies an upload in signed chunks with the emulator's verifier, which shares no code with the signer. */
export async function verifyUpload(upload: RawRequest): Promise<VerifiedUpload> {
  const verification = await verifySigV4(upload, {
    apiKeys: [apiKey],
    region: 'us-east-1',
    // Some tests have a clock of their own.
    maxSkewMs: Number.POSITIVE_INFINITY,
  })
  assert(verification.ok, JSON.stringify(verification))
  assert.match(verification.payload, /^signed-chunks/)
  const { signedHeaders } = verification
  for (const name of ['content-encoding', 'x-amz-decoded-content-length', 'x-amz-content-sha256']) {
    assert(signedHeaders.includes(name), `${name} among the signed headers`)
  }
  const header = (name: string): string =>
    upload.rawHeaders.find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
  assert.equal(header('transfer-encoding'), '')
  assert.equal(header('content-length'), String(upload.body.byteLength))
  assert.match(header('content-encoding'), /^aws-chunked/i)

  const { chunkSizes, rest } = readFrames(Buffer.from(upload.body))
  const [, name, value] = /^(x-amz-checksum[^:]*):(.*)\r\n/.exec(rest) ?? []
  const trailer = name === undefined ? {} : { [name]: value ?? '' }
  return { decoded: Buffer.from(verification.body), chunkSizes, trailer }
}

function readFrames(body: Buffer): { chunkSizes: number[]; rest: string } {
  const chunkSizes: number[] = []
  let offset = 0
  do {
    const end = body.indexOf('\r\n', offset)
    const size = Number.parseInt(body.toString('latin1', offset, end), 16)
    chunkSizes.push(size)
    offset = end + 2 + size + (size > 0 ? 2 : 0)
  } while (chunkSizes.at(-1) !== 0)
  return { chunkSizes, rest: body.toString('latin1', offset) }
}
