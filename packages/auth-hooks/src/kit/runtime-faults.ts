import type { Fetch } from '@svc/types'

/** Only React Native's own `fetch` is known to follow redirects whatever it is told. */
export function assertFollowsNone(_fetch: Fetch | undefined, _caller: string): void {}

/** Only React Native's own `URL` is not to the standard. */
export function assertStandardUrl(_caller: string): void {}
