import { headerValue, type RawRequest } from '../http/request.ts'
import { refuse, type Refused } from './result.ts'

/** What `x-amz-decoded-content-length` announces, with the check of what came. */
export function decodedLength(
  request: RawRequest,
): { readonly ok: true; check(bytes: number): Refused | undefined } | Refused {
  const announced = readLength(headerValue(request, 'x-amz-decoded-content-length'))
  // S3 answers so to one that is missing and to one that is no number.
  if (announced === undefined) return missing()
  return {
    ok: true,
    check: (bytes) => (bytes === announced ? undefined : wrongLength(announced, bytes)),
  }
}

/**
 * Refuses a chunked body whose end nothing on the wire tells. `Transfer-Encoding` will do: the AWS
 * SDK for JavaScript sends its streams so.
 */
export function checkContentLength(request: RawRequest): Refused | undefined {
  const header = headerValue(request, 'content-length')
  if (header === undefined) {
    return /\bchunked\b/i.test(headerValue(request, 'transfer-encoding') ?? '')
      ? undefined
      : missing()
  }
  const announced = readLength(header)
  if (announced === undefined) return missing()
  const { byteLength } = request.body
  return byteLength === announced ? undefined : wrongLength(announced, byteLength)
}

function readLength(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function missing(): Refused {
  return refuse('MissingContentLength', 'You must provide the Content-Length HTTP header.')
}

function wrongLength(expected: number, provided: number): Refused {
  return refuse(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
    [
      ['NumberBytesExpected', String(expected)],
      ['NumberBytesProvided', String(provided)],
    ],
  )
}
