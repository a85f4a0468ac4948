import { createHmac } from 'node:crypto'
import { deriveSigningKey } from '../testing.ts'
import { listening, send } from './emulator.ts'
import { testKey } from './sign.ts'

/** A part of a form, in the order of the wire. */
export type FormPart = readonly [name: string, value: string, filename?: string]

const scope = { date: '20260102', region: 'us-east-1', service: 's3' }

/** The fields of a signature, each with its condition, for the instant of the tests. */
export const signatureFields = {
  'x-amz-algorithm': 'AWS4-HMAC-SHA256',
  'x-amz-credential': `${testKey.accessKeyId}/20260102/us-east-1/s3/aws4_request`,
  'x-amz-date': '20260102T030405Z',
}

/** A policy for the bucket of the emulator, with conditions besides those of the signature. */
export function policyWith(
  conditions: readonly unknown[],
  expiration = '2026-01-02T04:00:00.000Z',
): string {
  const own = Object.entries(signatureFields).map(([name, value]) => ({ [name]: value }))
  return JSON.stringify({ expiration, conditions: [{ bucket: 'V1' }, ...own, ...conditions] })
}

/** The fields of a form whose policy is signed, before the file. */
export function signedParts(policy: string, secret: string = testKey.secretAccessKey): FormPart[] {
  const encoded = Buffer.from(policy).toString('base64')
  const signature = createHmac('sha256', deriveSigningKey(secret, scope)).update(encoded)
  return [
    ...Object.entries(signatureFields),
    ['policy', encoded],
    ['x-amz-signature', signature.digest('hex')],
  ]
}

/** Writes a form byte by byte. */
export function writeForm(parts: readonly FormPart[], boundary = 'b'): string {
  const written = parts.map(([name, value, filename]) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  })
  return `${written.join('')}--${boundary}--\r\n`
}

/** The key that the forms of the tests name. */
export const key: FormPart = ['key', 'a/b.txt']
/** The file. */
export const file: FormPart = ['file', 'hello', 'own name.txt']
/** The condition for that key. */
export const exactKey = { key: 'a/b.txt' }
/** A form that is stored. */
export const goodForm: readonly FormPart[] = [key, ...signedParts(policyWith([exactKey])), file]

/** Starts an emulator that forms are posted to. */
export async function posting() {
  const { emulator, server, signed, time } = await listening()
  const post = (body: string, contentType = 'multipart/form-data; boundary=b', target = '/V1') =>
    send(server.url, {
      method: 'POST',
      target,
      rawHeaders: [
        ['host', server.url.host],
        ['content-type', contentType],
      ],
      body: Buffer.from(body),
    })
  /** The keys that are stored. */
  const stored = async (): Promise<string[]> => {
    const { text } = await signed({ target: '/V1', canonicalPath: '/V1' })
    return [...text.matchAll(/<Key>([^<]*)</g)].map(([, name = '']) => name)
  }
  return { emulator, post, stored, signed, time }
}
