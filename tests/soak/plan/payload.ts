import { createHash } from 'node:crypto'
import type { PlannedBody } from './operation.ts'

/** The body of an operation: its own name first, so that no two bodies are alike. */
export function payloadOf(id: string, { form, bytes }: PlannedBody): Buffer {
  // A form of one field of plain letters is the same in every client's encoding.
  if (form === 'form') return Buffer.from(`operation=${id}.`.padEnd(bytes, 'x'))
  return Buffer.alloc(bytes, `operation ${id}; `)
}

/** The hash by which a body is known. */
export function hashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url')
}
