import { malformedTrailer } from './chunks.ts'
import { isChecksumHeader } from './checksums.ts'
import { headerValue, type RawRequest } from '../http/request.ts'
import { refuse, type Refused } from './result.ts'

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
