/** Digits of a signature. */
const signatureLength = 64

/** The checksum that follows the final chunk. */
export const trailerName = 'x-amz-checksum-crc32c'

/** What stands before the bytes of a chunk. */
export function chunkHeader(size: number, signature: string): string {
  return `${size.toString(16)};chunk-signature=${signature}\r\n`
}

/** The length of {@link chunkHeader}, which does not depend on the signature. */
export function chunkHeaderLength(size: number): number {
  return chunkHeader(size, '').length + signatureLength
}

/** The trailing header in the form that is hashed. */
export function canonicalTrailer(checksum: string): string {
  return `${trailerName}:${checksum}\n`
}

/** What follows the final chunk's header: trailing headers and their signature. */
export function trailerLines(checksum: string, signature: string): string {
  return `${trailerName}:${checksum}\r\nx-amz-trailer-signature:${signature}\r\n`
}

/** The length of a body in chunks, as it is sent. */
export function wireLength(decodedLength: number, chunkBytes: number, hasTrailer: boolean): number {
  const lastSize = decodedLength % chunkBytes
  const fullChunks = (decodedLength - lastSize) / chunkBytes
  // A CRC-32C is eight digits of Base64.
  const trailerLength = hasTrailer ? trailerLines('crc32c==', '').length + signatureLength : 0
  return (
    fullChunks * framedLength(chunkBytes) +
    (lastSize > 0 ? framedLength(lastSize) : 0) +
    chunkHeaderLength(0) +
    trailerLength +
    2
  )
}

/** The length of a chunk with its header and the line break at its end. */
export function framedLength(size: number): number {
  return chunkHeaderLength(size) + size + 2
}
