import type { LoginRequest, LoginResponse } from '@svc/types'
import { headerValue, type RawRequest } from '../http/request.ts'
import { jsonResponse, type RouteResult } from '../http/response.ts'
import { equalInConstantTime } from '../sigv4/signature.ts'
import type { EmulatorUser, TokenIssuer } from './tokens.ts'

/** The settings of the emulator that a login depends on. */
interface LoginSettings {
  readonly users: readonly EmulatorUser[]
  readonly vendorPrefix: string
  readonly uniqueSessionEndsOthers: boolean
}

/**
 * Handles `POST /user/login` (interface, section 4.1). The statuses 400 and 401 and the bodies that
 * go with them are assumptions: the interface does not show them.
 */
export async function login(
  request: RawRequest,
  settings: LoginSettings,
  tokens: TokenIssuer,
  now: number,
): Promise<RouteResult> {
  const problems = findHeaderProblems(request, settings.vendorPrefix)
  if (problems.length > 0) return rejectLogin(400, 'InvalidHeader', problems.join('; '))
  const body = readLoginRequest(request.body)
  if (typeof body === 'string') return rejectLogin(400, 'InvalidBody', body)
  const user = findUser(settings.users, body)
  if ('code' in user) return rejectLogin(401, user.code, user.message, body.Username)
  if (body.UniqueSession === true && settings.uniqueSessionEndsOthers) tokens.endOthers(user)
  const { token, jti } = await tokens.issue(user, now)
  const response: LoginResponse = { Token: token }
  return {
    response: jsonResponse(200, response),
    auth: { scheme: 'login', ok: true, user: user.username, jti },
  }
}

function findHeaderProblems(request: RawRequest, vendorPrefix: string): string[] {
  const routeToken = `x-${vendorPrefix}-route-token`
  const expectations: [name: string, expected: string, isMet: (value: string) => boolean][] = [
    ['accept', 'application/json', (value) => value.split(',').some(isJson)],
    ['content-type', 'application/json', isJson],
    [routeToken, 'login', (value) => value === 'login'],
  ]
  return expectations.flatMap(([name, expected, isMet]) => {
    const value = headerValue(request, name)
    if (value === undefined) return `the header ${name}: ${expected} is missing`
    return isMet(value) ? [] : `the header ${name} must be ${expected}`
  })
}

function isJson(mediaType: string): boolean {
  return /^\s*application\/json\s*(;|$)/i.test(mediaType)
}

// A text says what is wrong with the body.
function readLoginRequest(bytes: Uint8Array): LoginRequest | string {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return 'the body is not JSON'
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return 'the body is not a JSON object'
  }
  const { Username, Password, ParentUid, UniqueSession } = fieldsOf(body)
  if (typeof Username !== 'string' || Username === '') return 'Username must be a string'
  if (typeof Password !== 'string' || Password === '') return 'Password must be a string'
  if (ParentUid !== undefined && typeof ParentUid !== 'string') return 'ParentUid must be a string'
  if (UniqueSession !== undefined && typeof UniqueSession !== 'boolean') {
    return 'UniqueSession must be true or false'
  }
  return {
    Username,
    Password,
    ...(ParentUid === undefined ? {} : { ParentUid }),
    ...(UniqueSession === undefined ? {} : { UniqueSession }),
  }
}

function fieldsOf(value: object): Partial<Record<keyof LoginRequest, unknown>> {
  return value
}

/** The reason for which nobody logs in. */
interface NoUser {
  readonly code: 'InvalidCredentials' | 'MissingParentUid' | 'InvalidParentUid'
  readonly message: string
}

function findUser(users: readonly EmulatorUser[], body: LoginRequest): EmulatorUser | NoUser {
  const named = users.filter(({ username }) => username === body.Username)
  // A name that is not known takes as long, so that the time does not tell which users there are.
  const compared = named.length > 0 ? named : users.slice(0, 1)
  const known = compared.filter(
    ({ password, username }) =>
      equalInConstantTime(password, body.Password) && username === body.Username,
  )
  // No more is told without the password.
  if (known.length === 0) {
    return { code: 'InvalidCredentials', message: 'these credentials match no user' }
  }
  const found = known.find((user) =>
    user.parentUid === undefined
      ? body.ParentUid === undefined || body.ParentUid === user.uid
      : body.ParentUid === user.parentUid,
  )
  if (found !== undefined) return found
  const expected = known.map((user) => user.parentUid).join(' or ')
  return body.ParentUid === undefined
    ? {
        code: 'MissingParentUid',
        message: `ParentUid is required for a subaccount user: send ${expected}`,
      }
    : { code: 'InvalidParentUid', message: 'ParentUid is not that of this user' }
}

function rejectLogin(status: number, code: string, message: string, user?: string): RouteResult {
  return {
    response: jsonResponse(status, { Code: code, Message: message }),
    auth: { scheme: 'login', ok: false, code, ...(user === undefined ? {} : { user }) },
  }
}
