import { malformedTrailer } from './aws-chunked.ts'
import { isChecksumHeader } from './checksums.ts'
import { headerValue, type RawRequest } from './raw-request.ts'
import { refuse, type Refused } from './verification.ts'

/** Refuses trailers other than those that `x-amz-trailer` announces; S3 knows checksums alone. */
export function checkTrailers(
  request: RawRequest,
  trailers: readonly (readonly [name: string, value: string])[],
): Refused | undefined {
  const announced = (headerValue(request, 'x-amz-trailer') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (!announced.every(isChecksumHeader)) {
    return refuse(
      'InvalidRequest',
      'The value specified in the x-amz-trailer header is not supported',
    )
  }
  const arrived = trailers.map(([name]) => name)
  return announced.toSorted().join() === arrived.toSorted().join() ? undefined : malformedTrailer()
}
