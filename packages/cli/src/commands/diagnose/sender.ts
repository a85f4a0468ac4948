import type { CommandContext } from '../../context.ts'
import type { CommandRequest } from '../../request/request.ts'
import type { Service } from '../../service.ts'

/** A request as it is sent: its URL, and the headers that authenticate it among them. */
export interface SignedRequest {
  readonly url: URL
  readonly headers: Headers
}

/** Sends a signed request once. No redirect is followed, and nothing is tried again. */
export type Sender = (signed: SignedRequest) => Promise<Response>

/** Creates a {@link Sender} of the method and the body of a request, to the origin of the base URL alone. */
export function createSender(
  { fetch, baseUrl }: Service,
  { method, body }: CommandRequest,
  { signal }: CommandContext,
): Sender {
  const { origin } = new URL(baseUrl)
  return async ({ url, headers }) => {
    if (url.origin !== origin) throw new Error(`${url.origin} is not the origin of the base URL`)
    return fetch(url.href, {
      method,
      headers: [...headers],
      signal,
      redirect: 'manual',
      ...(body && { body: body.bytes }),
    })
  }
}
