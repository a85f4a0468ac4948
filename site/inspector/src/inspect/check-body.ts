import { headerOf } from '../input/pasted-request.ts'
import { type Finding, open, wrong } from './inspection.ts'
import { emptyPayloadHash } from './payload-markers.ts'
import type { SignedParts } from './signed-parts.ts'

/** Compares the body with the hash that was signed, as far as both are known. */
export function checkBody(
  parts: SignedParts,
  hash: (bytes: Uint8Array) => string,
): Finding | undefined {
  const { request, explanation } = parts
  const { payloadHash } = explanation
  if (!/^[\da-f]{64}$/.test(payloadHash) || request.isForm === true) return undefined
  const length = announcedLength(parts)
  if (!request.body) {
    if (isTold(parts) && payloadHash !== emptyPayloadHash) {
      return open('The body is not checked', 'A body was signed, but none is given here.')
    }
    return length > 0
      ? open(
          'The body is not checked',
          `Content-Length says ${length} bytes, but none are given here.`,
        )
      : undefined
  }
  if (!isTold(parts)) {
    return isBodyMissing(parts)
      ? open('The body is not checked', lengthText(parts, length))
      : undefined
  }
  const actual = hash(request.body)
  if (actual === payloadHash) return undefined
  if (hasReplacement(request.body)) {
    return open(
      'The body is not checked',
      'It has U+FFFD in it, where whatever recorded it could not read its bytes as text.',
    )
  }
  return wrong(
    'The body is not the one that was signed',
    `Its ${request.body.byteLength} bytes have the SHA-256 ${actual}, not ${payloadHash}.`,
    [
      'It was changed after it was signed, such as by line breaks that pasting or an editor changed.',
      ...(length >= 0 && length !== request.body.byteLength ? [lengthText(parts, length)] : []),
    ],
  )
}

/** Tells if the payload hash is that of a body that is not here, or not whole. */
export function isBodyMissing(parts: SignedParts): boolean {
  const { request, read, explanation } = parts
  if (isTold(parts) || read?.form === 'query' || !/^[\da-f]{64}$/.test(explanation.payloadHash)) {
    return request.isForm === true && explanation.payloadHash === emptyPayloadHash
  }
  const length = announcedLength(parts)
  const size = request.body?.byteLength ?? 0
  return request.isForm === true || (length >= 0 && length !== size) || hasReplacement(request.body)
}

function lengthText({ request }: SignedParts, length: number): string {
  return length < 0
    ? 'It cannot be told from what was pasted.'
    : `Content-Length says ${length} bytes, but ${request.body?.byteLength ?? 0} are given here.`
}

function isTold({ request, read }: SignedParts): boolean {
  return read?.payloadHash !== '' || headerOf(request.headers, 'x-amz-content-sha256') !== undefined
}

/** Returns the length that the request announces; −1 where it announces none. */
function announcedLength({ request }: SignedParts): number {
  const text = headerOf(request.headers, 'content-length')?.trim() ?? ''
  const isDecoded = headerOf(request.headers, 'transfer-encoding') !== undefined
  return /^\d{1,12}$/.test(text) && !isDecoded ? Number(text) : -1
}

/** Tells if bytes hold the sign that stands for bytes which were no text. */
function hasReplacement(body: Uint8Array | undefined): boolean {
  if (!body) return false
  for (let at = body.indexOf(0xef); at >= 0; at = body.indexOf(0xef, at + 1)) {
    if (body[at + 1] === 0xbf && body[at + 2] === 0xbd) return true
  }
  return false
}
