import { createHash } from 'node:crypto'
import { crc32, crc32c, crc64nvme } from './crc.ts'

/** A checksum that S3 knows, by the header or trailer that brings it. */
export interface Checksum {
  /** As S3's messages name it. */
  readonly name: string
  readonly bytes: number
  digest(data: Uint8Array): Uint8Array
}

const checksums: ReadonlyMap<string, Checksum> = new Map(
  [
    { name: 'CRC32', bytes: 4, digest: crc32 },
    { name: 'CRC32C', bytes: 4, digest: crc32c },
    { name: 'CRC64NVME', bytes: 8, digest: crc64nvme },
    { name: 'SHA1', bytes: 20, digest: (data: Uint8Array) => hash('sha1', data) },
    { name: 'SHA256', bytes: 32, digest: (data: Uint8Array) => hash('sha256', data) },
  ].map((checksum) => [`x-amz-checksum-${checksum.name.toLowerCase()}`, checksum]),
)

/** The checksum that a header or trailer of this name brings; `name` in lower case. */
export function checksumOf(name: string): Checksum | undefined {
  return checksums.get(name)
}

/** Whether a header of this name brings a checksum; `name` in lower case. */
export function isChecksumHeader(name: string): boolean {
  return checksums.has(name)
}

function hash(algorithm: 'sha1' | 'sha256', data: Uint8Array): Uint8Array {
  return createHash(algorithm).update(data).digest()
}
