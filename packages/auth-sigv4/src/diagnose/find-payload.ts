import { payloadHint } from './compare.ts'
import type { Finding } from './diagnosis.ts'
import type { ErrorAnswer } from './error-answer.ts'
import type { OwnSignature } from './own-evidence.ts'

/** A body that does not have the hash that was signed. */
export function wrongPayloadHash({ element }: ErrorAnswer, own: OwnSignature): Finding {
  const named = element('ClientComputedContentSHA256')?.trim()
  const theirs = element('S3ComputedContentSHA256')?.trim()
  const isKnown = !own.unknown.has('payload hash')
  const ours = named || (isKnown && own.parts.payloadHash)
  return {
    verdict: 'payload',
    meaning: 'The body that arrived is not the one whose hash was signed.',
    ...(ours &&
      theirs && {
        differences: [
          {
            line: 'payload hash',
            ours,
            theirs,
            hint: own.isHashGiven
              ? 'x-amz-content-sha256 was set on the request: it is not the hash of the body that was sent, or the body changed on the way.'
              : payloadHint(ours, theirs),
          },
        ],
      }),
    ...(isKnown &&
      ours !== own.parts.payloadHash && {
        notes: [
          'The hash that was signed is not that of the body given here: this is a different body.',
        ],
      }),
  }
}

/** A body that does not have the checksum that the request names. */
export function wrongDigest({ element }: ErrorAnswer): Finding {
  const [ours, theirs] = [element('ExpectedDigest')?.trim(), element('CalculatedDigest')?.trim()]
  return {
    verdict: 'payload',
    meaning: 'The body that arrived does not match the checksum in the request.',
    ...(ours &&
      theirs && {
        differences: [
          {
            line: 'digest',
            ours: asBase64(ours),
            theirs: asBase64(theirs),
            hint: 'The body changed on the way, or content-md5 (or a checksum header) was computed from bytes other than those sent.',
          },
        ],
      }),
  }
}

// S3 writes one of the two in hex; the header has base64.
function asBase64(digest: string): string {
  if (!/^[\da-f]{32}$/i.test(digest)) return digest
  return btoa(digest.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))))
}
