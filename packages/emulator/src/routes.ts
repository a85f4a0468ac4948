import type { EmulatorSettings } from './options.ts'
import { login } from './user/login.ts'
import type { ObjectSpace } from './objects/store.ts'
import type { Outcome } from './http/response.ts'
import { percentDecode } from './sigv4/canonical-request.ts'
import { splitTarget, type RawRequest } from './http/request.ts'
import type { Sessions } from './user/tokens.ts'
import { signedRoutes } from './objects/routes.ts'
import { tokenRoutes } from './user/routes.ts'

/** What requests are answered from. */
export interface Service {
  readonly settings: EmulatorSettings
  readonly sessions: Sessions
  readonly objects: ObjectSpace
}

/**
 * Answers by the table of section 5 of the interface. Paths are matched percent-decoded once; the
 * case of `/user` does not matter, nor, an assumption, that of what follows it.
 */
export function route(
  request: RawRequest,
  service: Service,
  now: number,
  requestId: string,
): Promise<Outcome> {
  const { settings, sessions, objects } = service
  const path = percentDecode(splitTarget(request.target).path)
  const folded = foldCase(path)
  if (folded === '/user/login' && request.method === 'POST') {
    return login(request, settings, sessions, now)
  }
  if (folded === '/user' || folded.startsWith('/user/')) {
    return tokenRoutes(request, folded, settings.vendorPrefix, sessions, now)
  }
  return signedRoutes(request, path, settings, objects, now, requestId)
}

// ASCII alone: `toLowerCase` would turn the Kelvin sign and the like into letters.
function foldCase(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
