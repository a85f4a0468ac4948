import type { ResponseHead } from '@svc/types'
import { isSamePartition, readHost } from './hosts.ts'
import type { Scope } from './scopes.ts'

/**
 * Tells if a redirect stays with the one that was asked: on the host, or in the same bucket of S3, which is in another
 * region. Other hosts of AWS belong to anyone.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/Redirects.html
 */
export function staysAtHome(from: URL, target: URL): boolean {
  if (from.origin === target.origin) return true
  const [own, other] = [from, target].map(findBucket)
  return (
    own !== undefined &&
    other !== undefined &&
    own.bucket === other.bucket &&
    isSamePartition(own.home, other.home)
  )
}

/** Returns the bucket that the host of a URL names, or else its path. */
function findBucket({ hostname, pathname }: URL): { bucket: string; home: string } | undefined {
  const { bucket, home } = readHost(hostname) ?? {}
  if (bucket === undefined || home === undefined) return undefined
  const name = bucket || pathname.split('/')[1]
  return name ? { bucket: name, home } : undefined
}

/**
 * Returns the region of a bucket that S3 tells when a request was signed for another one, as far as a request to the same
 * host may be signed for it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
 */
export function bucketRegion(
  { isAnyRegion, region }: Scope,
  { status, headers }: ResponseHead,
): string | undefined {
  if (!isAnyRegion || ![301, 307, 400, 403].includes(status)) return undefined
  const told = headers.get('x-amz-bucket-region')
  // A redirect that names its target leads to the host of the region.
  if (told === null || told === region || headers.has('location')) return undefined
  return /^[a-z\d-]{1,32}$/.test(told) && isSamePartition(told, region) ? told : undefined
}
