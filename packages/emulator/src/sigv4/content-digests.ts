import { createHash } from 'node:crypto'
import { checksumOf, type Checksum } from './checksums.ts'
import { equalInConstantTime } from './signature.ts'
import { headerValue, type RawRequest } from '../http/request.ts'
import { refuse, type Refused } from './result.ts'

/**
 * Refuses a body that is not the one that `content-md5` and the `x-amz-checksum-…` headers and
 * trailers speak of. All of them speak of the body without its framing.
 */
export function checkDigests(
  request: RawRequest,
  trailers: readonly (readonly [name: string, value: string])[],
  body: Uint8Array,
): Refused | undefined {
  const headers = request.rawHeaders.map(
    ([name, value]) => [name.toLowerCase(), value.trim()] as const,
  )
  return (
    checkContentMd5(headerValue(request, 'content-md5')?.trim(), body) ??
    checkChecksums(headers, 'header', body) ??
    checkChecksums(trailers, 'trailing header', body)
  )
}

function checkContentMd5(announced: string | undefined, body: Uint8Array): Refused | undefined {
  if (announced === undefined) return undefined
  if (!isBase64(announced, 16)) {
    return refuse('InvalidDigest', 'The Content-MD5 you specified was invalid.', [
      ['Content-MD5', announced],
    ])
  }
  const computed = createHash('md5').update(body).digest('base64')
  if (equalInConstantTime(computed, announced)) return undefined
  return refuse('BadDigest', 'The Content-MD5 you specified did not match what we received.', [
    ['ExpectedDigest', announced],
    ['CalculatedDigest', computed],
  ])
}

function checkChecksums(
  fields: readonly (readonly [name: string, value: string])[],
  place: 'header' | 'trailing header',
  body: Uint8Array,
): Refused | undefined {
  for (const [name, value] of fields) {
    const checksum = checksumOf(name)
    const refused = checksum && checkChecksum(name, value, place, checksum, body)
    if (refused !== undefined) return refused
  }
  return undefined
}

function checkChecksum(
  name: string,
  announced: string,
  place: 'header' | 'trailing header',
  checksum: Checksum,
  body: Uint8Array,
): Refused | undefined {
  if (!isBase64(announced, checksum.bytes)) {
    return refuse('InvalidRequest', `Value for ${name} ${place} is invalid.`)
  }
  const computed = Buffer.from(checksum.digest(body)).toString('base64')
  if (equalInConstantTime(computed, announced)) return undefined
  return refuse(
    'BadDigest',
    `The ${checksum.name} you specified did not match the calculated checksum.`,
  )
}

function isBase64(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64')
  return decoded.byteLength === bytes && decoded.toString('base64') === text
}
