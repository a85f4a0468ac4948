import type { LoginRequest, LoginResponse } from '@svc/types'
import { jsonAnswer } from '../http/response.ts'
import { equalInConstantTime } from '../sigv4/signature.ts'
import type { EmulatorSettings } from '../options.ts'
import type { Outcome } from '../http/response.ts'
import { headerValue, type RawRequest } from '../http/request.ts'
import type { Sessions } from './tokens.ts'
import type { EmulatorUser } from '../options.ts'

/**
 * `POST /user/login` (interface, section 4.1). The statuses 400 and 401 and the bodies that go with
 * them are assumptions: the interface does not show them.
 */
export async function login(
  request: RawRequest,
  settings: EmulatorSettings,
  sessions: Sessions,
  now: number,
): Promise<Outcome> {
  const faults = headerFaults(request, settings.vendorPrefix)
  if (faults.length > 0) return refuseLogin(400, 'InvalidHeader', faults.join('; '))
  const body = readLoginRequest(request.body)
  if (typeof body === 'string') return refuseLogin(400, 'InvalidBody', body)
  const found = findUser(settings.users, body)
  if (typeof found === 'string') {
    return refuseLogin(401, 'InvalidCredentials', found, body.Username)
  }
  if (body.UniqueSession === true && settings.uniqueSessionEndsOthers) sessions.endOthers(found)
  const { token, jti } = await sessions.issue(found, now)
  const response: LoginResponse = { Token: token }
  return {
    answer: jsonAnswer(200, response),
    auth: { scheme: 'login', ok: true, user: found.username, jti },
  }
}

function headerFaults(request: RawRequest, vendorPrefix: string): string[] {
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

function findUser(users: readonly EmulatorUser[], body: LoginRequest): EmulatorUser | string {
  // The password comes first, so that the time does not tell which users there are.
  const known = users.filter(
    (user) => equalInConstantTime(user.password, body.Password) && user.username === body.Username,
  )
  if (known.length === 0) return 'unknown user or wrong password'
  const found = known.find((user) =>
    user.parentUid === undefined
      ? body.ParentUid === undefined || body.ParentUid === user.uid
      : body.ParentUid === user.parentUid,
  )
  if (found !== undefined) return found
  return body.ParentUid === undefined
    ? 'a subaccount user must send ParentUid'
    : 'ParentUid does not match this user'
}

function refuseLogin(status: number, code: string, message: string, user?: string): Outcome {
  return {
    answer: jsonAnswer(status, { Code: code, Message: message }),
    auth: { scheme: 'login', ok: false, code, ...(user === undefined ? {} : { user }) },
  }
}
