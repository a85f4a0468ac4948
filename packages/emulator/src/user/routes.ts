import { headerValue, type RawRequest } from '../http/request.ts'
import {
  type EmulatorResponse,
  emptyResponse,
  jsonResponse,
  type RouteResult,
} from '../http/response.ts'
import type { EmulatorUser, TokenIssuer } from './tokens.ts'

/**
 * Routes everything under `/user` but the login: the token is verified, whatever the path. Statuses
 * and error bodies are assumptions: the interface does not show them.
 */
export async function tokenRoutes(
  request: RawRequest,
  path: string,
  vendorPrefix: string,
  tokens: TokenIssuer,
  now: number,
): Promise<RouteResult> {
  const token = headerValue(request, `x-${vendorPrefix}-security-token`)
  if (token === undefined || token === '') return rejectToken('MissingToken')
  const verification = await tokens.verify(token, now)
  if (!verification.ok) return rejectToken(verification.code, verification.jti)
  const { user, jti } = verification
  return {
    response: userResponse(request, path, vendorPrefix, user),
    auth: { scheme: 'token', ok: true, user: user.username, jti },
  }
}

function userResponse(
  request: RawRequest,
  path: string,
  vendorPrefix: string,
  user: EmulatorUser,
): EmulatorResponse {
  const routeToken = `x-${vendorPrefix}-route-token`
  if (headerValue(request, routeToken) !== 'login') {
    return jsonResponse(400, {
      Code: 'InvalidHeader',
      Message: `the header ${routeToken}: login is missing`,
    })
  }
  if (path !== '/user/groups') {
    return jsonResponse(404, { Code: 'NotFound', Message: 'there is nothing at this path' })
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return emptyResponse(405, { allow: 'GET, HEAD' })
  }
  return jsonResponse(200, user.groups ?? [])
}

const explanations = {
  MissingToken: 'the token is missing',
  MalformedToken: 'the token was not issued by this service',
  ExpiredToken: 'the token has expired',
  RevokedToken: 'the token was revoked',
  EndedSession: 'a later login with UniqueSession ended this session',
} as const

function rejectToken(code: keyof typeof explanations, jti?: string): RouteResult {
  return {
    response: jsonResponse(401, { Code: code, Message: explanations[code] }),
    auth: { scheme: 'token', ok: false, code, ...(jti === undefined ? {} : { jti }) },
  }
}
