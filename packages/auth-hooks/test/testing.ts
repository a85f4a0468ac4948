/**
 * The inside of the package, for what is pure and worth testing alone. Only this file reaches below the
 * entries, and it is not published.
 */
import type * as errors from '../src/kit/errors.ts'

export { streamBody } from '../src/kernel/body.ts'
export { OutgoingHeaders } from '../src/kernel/headers.ts'
export { readRedirectTarget } from '../src/kernel/redirect.ts'
export { readRequestUrl } from '../src/kernel/request.ts'
export { redactClientRequest, tryRedaction } from '../src/node/redaction.ts'

/** Loads the module of `AuthError` once more, as a second copy of the package does. */
export async function loadErrorsAgain(): Promise<typeof errors> {
  const specifier = '../src/kit/errors.ts?copy'
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same module at another address
  return (await import(/* @vite-ignore */ specifier)) as typeof errors
}
