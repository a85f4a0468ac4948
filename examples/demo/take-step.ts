import { isDeepStrictEqual } from 'node:util'
import { AuthError } from '@svc/auth-hooks'
import type { Emulator, RecordedRequest } from '@svc/emulator'
import type { Authorization } from '@svc/types'
import { redactHeader } from './redact.ts'
import type { ExchangeRow, DemoStep, StepOutcome, StepResult } from './step.ts'

/**
 * Takes one step and compares its outcome with the expected one.
 *
 * @param authorizations - The authorizations of the clients' schemes; each step empties the list.
 */
export async function takeStep(
  emulator: Pick<Emulator, 'requests' | 'logins'>,
  authorizations: Authorization[],
  step: DemoStep,
): Promise<StepResult> {
  const requestsBefore = emulator.requests.length
  const loginsBefore = emulator.logins
  authorizations.length = 0
  step.before?.()
  const result = await resultOf(step)
  const requests = emulator.requests.slice(requestsBefore)
  const exchanges = exchangesOf(requests, authorizations)
  const actual: StepOutcome = {
    result,
    exchanges: exchanges.map(({ request, scheme, status }) => {
      const [method] = request.split(' ', 1)
      return `${method} ${scheme} ${status}`
    }),
    freshCredentials: areFresh(requests),
    logins: emulator.logins - loginsBefore,
  }
  return { step, exchanges, actual, isAsExpected: isDeepStrictEqual(actual, step.expected) }
}

async function resultOf(step: DemoStep): Promise<unknown> {
  try {
    return await step.send()
  } catch (error) {
    return AuthError.is(error) ? error.code : String(error)
  }
}

function exchangesOf(
  requests: readonly RecordedRequest[],
  authorizations: readonly Authorization[],
): ExchangeRow[] {
  const next = authorizations.values()
  return requests.map((recorded) => {
    const { method, target, headers, status = 'dropped' } = recorded
    // A login is the token scheme's own request, and passes no selector.
    const authorization = isLogin(recorded) ? undefined : next.next().value
    const added = authorization?.headers ?? [
      ['x-svc-route-token', headers['x-svc-route-token'] ?? '(none)'],
    ]
    return {
      request: `${method} ${target}`,
      scheme: authorization?.scheme ?? 'login',
      added: added.map(([name, value]) =>
        value === null ? `${name} (removed)` : redactHeader(name, value),
      ),
      status: String(status),
    }
  })
}

function isLogin({ path }: RecordedRequest): boolean {
  return path.toLowerCase() === '/user/login'
}

function areFresh(requests: readonly RecordedRequest[]): boolean {
  const credentials = requests
    .filter((request) => !isLogin(request))
    .map(({ headers }) => headers['authorization'] ?? headers['x-svc-security-token'])
  return new Set(credentials).size === credentials.length
}
