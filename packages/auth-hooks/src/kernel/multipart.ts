import { platformBlob } from '#platform'
import { isPackaged, joinBlobs } from './blob.ts'
import { hooksError } from './errors.ts'

/**
 * Encodes a form as `multipart/form-data`, once: the boundary in the content type is the one in the
 * body, files are referred to and not read, and the length is known.
 *
 * @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
export function encodeMultipart(form: FormData): { blob: Blob; contentType: string } {
  const boundary = `----svc-auth-${random128()}`
  const parts: (Blob | string)[] = []
  for (const [name, value] of form) {
    const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(crlf(name))}"`
    if (typeof value === 'string') {
      parts.push(`${disposition}\r\n\r\n${crlf(value)}\r\n`)
    } else {
      const type = value.type || 'application/octet-stream'
      const filename = escapeName(value.name)
      parts.push(`${disposition}; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`)
      parts.push(value, '\r\n')
    }
  }
  parts.push(`--${boundary}--\r\n`)
  const contentType = `multipart/form-data; boundary=${boundary}`
  const PlatformBlob = platformBlob()
  const isOwn = parts.every((part) => typeof part === 'string' || !isPackaged(part))
  const toBlob = (part: Blob | string): Blob =>
    typeof part === 'string' ? new PlatformBlob([part]) : part
  return { blob: isOwn ? new PlatformBlob(parts) : joinBlobs(parts.map(toBlob)), contentType }
}

// Not `crypto.randomUUID`, which a page on plain http does not have.
function random128(): string {
  const { crypto: given } = globalThis as { readonly crypto?: Partial<Crypto> }
  if (given?.getRandomValues) return given.getRandomValues(new Uint32Array(4)).join('-')
  throw hooksError(
    'ERR_AUTH_CRYPTO',
    'a form needs crypto.getRandomValues, which this runtime does not have',
  )
}

function crlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n')
}

function escapeName(text: string): string {
  return text.replace(/[\n\r"]/g, encodeURIComponent)
}
