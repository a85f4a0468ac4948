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
  const bucket = findBucket(from)
  return bucket !== '' && bucket === findBucket(target)
}

/** Returns the bucket of a URL with the partition in which it has its name alone, `''` where there is none. */
function findBucket(url: URL): string {
  const { bucket, home } = readHost(url) ?? {}
  const name = bucket === '' ? url.pathname.split('/')[1] : bucket
  return name ? `${home}/${name}` : ''
}

/**
 * Returns the scope with the region of a bucket that S3 tells when a request was signed for another one, if a request to the
 * same host may be signed for it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
 */
export function bucketScope(scope: Scope, { status, headers }: ResponseHead): Scope | undefined {
  if (!scope.isAnyRegion || ![301, 307, 400, 403].includes(status)) return undefined
  const region = headers.get('x-amz-bucket-region') ?? scope.region
  // A redirect that names its target leads to the host of the region.
  if (region === scope.region || headers.has('location')) return undefined
  const isKnown = /^[a-z\d-]{1,32}$/.test(region) && isSamePartition(region, scope.region)
  return isKnown ? { ...scope, region } : undefined
}
