import type { ProxyKit } from './kit.ts'
import { ProxyRefusal } from './refusal.ts'
import type { Upload } from './upload.ts'

/** Reads the reason why a request was not forwarded, or had no response, from whatever was thrown. */
export function readFailure(
  error: unknown,
  upload: Upload | undefined,
  { AuthError }: Pick<ProxyKit, 'AuthError'>,
): ProxyRefusal {
  if (error instanceof ProxyRefusal) return error
  // A client that sends may wrap the error of the body that it was sending.
  const ofUpload = upload?.kind === 'stream' ? upload.stream.errored : undefined
  if (ofUpload instanceof ProxyRefusal) return ofUpload
  if (AuthError.is(error)) {
    return /^ERR_AUTH_(?:BODY|HEADER|REQUEST|URL)$/.test(error.code)
      ? new ProxyRefusal(400, error.code, error.message)
      : new ProxyRefusal(502, error.code, `no credential could be added; ${error.message}`)
  }
  const code = codeOf(error)
  return /TIMEOUT|ETIMEDOUT/.test(code)
    ? new ProxyRefusal(504, code, `the service did not respond in time (${code})`)
    : new ProxyRefusal(502, code, `the service could not be reached, or broke off (${code})`)
}

/** Only the code, since a message may quote what was sent. */
function codeOf(error: unknown): string {
  const code: unknown =
    error instanceof Error
      ? (Reflect.get(error, 'code') ?? Reflect.get(Object(error.cause), 'code'))
      : undefined
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'BadGateway'
}
