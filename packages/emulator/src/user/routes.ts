import { emptyAnswer, jsonAnswer, type Answer } from '../http/response.ts'
import type { Outcome } from '../http/response.ts'
import { headerValue, type RawRequest } from '../http/request.ts'
import type { Sessions } from './tokens.ts'
import type { EmulatorUser } from '../options.ts'

const explanations = {
  MissingToken: 'the token is missing',
  MalformedToken: 'the token was not issued by this service',
  ExpiredToken: 'the token has expired',
  RevokedToken: 'the token was revoked',
  EndedSession: 'a later login with UniqueSession ended this session',
} as const

/**
 * Everything under `/user` but the login: the token is checked, whatever the path. Statuses and
 * error bodies are assumptions: the interface does not show them.
 */
export async function tokenRoutes(
  request: RawRequest,
  path: string,
  vendorPrefix: string,
  sessions: Sessions,
  now: number,
): Promise<Outcome> {
  const token = headerValue(request, `x-${vendorPrefix}-security-token`)
  if (token === undefined || token === '') return refuseToken('MissingToken')
  const checked = await sessions.check(token, now)
  if (!checked.ok) return refuseToken(checked.code, checked.jti)
  return {
    answer: answerUser(request, path, vendorPrefix, checked.user),
    auth: { scheme: 'token', ok: true, user: checked.user.username, jti: checked.jti },
  }
}

function answerUser(
  request: RawRequest,
  path: string,
  vendorPrefix: string,
  user: EmulatorUser,
): Answer {
  const routeToken = `x-${vendorPrefix}-route-token`
  if (headerValue(request, routeToken) !== 'login') {
    return jsonAnswer(400, {
      Code: 'InvalidHeader',
      Message: `the header ${routeToken}: login is missing`,
    })
  }
  if (path !== '/user/groups') {
    return jsonAnswer(404, { Code: 'NotFound', Message: 'there is nothing at this path' })
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return emptyAnswer(405, { allow: 'GET, HEAD' })
  }
  return jsonAnswer(200, user.groups ?? [])
}

function refuseToken(code: keyof typeof explanations, jti?: string): Outcome {
  return {
    answer: jsonAnswer(401, { Code: code, Message: explanations[code] }),
    auth: { scheme: 'token', ok: false, code, ...(jti === undefined ? {} : { jti }) },
  }
}
