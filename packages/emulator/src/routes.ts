import { splitTarget, type RawRequest } from './http/request.ts'
import { jsonResponse, type RouteResult } from './http/response.ts'
import { signedRoutes } from './objects/routes.ts'
import type { ObjectStore } from './objects/store.ts'
import type { EmulatorSettings } from './options.ts'
import { decodePath, hasMalformedEscape } from './sigv4/canonical-request.ts'
import { login } from './user/login.ts'
import { tokenRoutes } from './user/routes.ts'
import type { TokenIssuer } from './user/tokens.ts'

/** The settings, tokens and objects of one emulator. */
export interface Service {
  readonly settings: EmulatorSettings
  readonly tokens: TokenIssuer
  readonly objects: ObjectStore
}

/**
 * Routes a request by the table of section 5 of the interface. Paths are matched percent-decoded
 * once; the case of `/user` does not matter, nor, an assumption, that of the rest of such a path.
 */
export async function routeRequest(
  request: RawRequest,
  service: Service,
  now: number,
  requestId: string,
): Promise<RouteResult> {
  const { settings, tokens, objects } = service
  const path = decodePath(splitTarget(request.target).path, settings.plusInPath)
  const folded = foldAsciiCase(path)
  if (/^\/user(?:[/%]|$)/.test(folded) && hasMalformedEscape(request.target)) {
    return malformedUriResult()
  }
  if (folded === '/user/login' && request.method === 'POST') {
    return login(request, settings, tokens, now)
  }
  if (folded === '/user' || folded.startsWith('/user/')) {
    return tokenRoutes(request, folded, settings.vendorPrefix, tokens, now)
  }
  return signedRoutes(request, path, settings, objects, now, requestId)
}

function malformedUriResult(): RouteResult {
  const body = { Code: 'InvalidURI', Message: 'the path or the query has a malformed escape' }
  return {
    response: jsonResponse(400, body),
    auth: { scheme: 'none', ok: false, code: 'InvalidURI' },
  }
}

// ASCII alone: `toLowerCase` would turn the Kelvin sign and the like into letters.
function foldAsciiCase(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
