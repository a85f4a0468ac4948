import type { Fetch } from '@svc/types'
import type { CommandContext } from '../../context.ts'
import { describeError } from '../../output/report-error.ts'
import { type CommandRequest, toInit } from '../../request/request.ts'
import type { Service } from '../../service.ts'
import { type Report, reportUnrefused } from './report.ts'

/** Sends a request with a token, and says what came of the login, of the token and of a new one. */
export async function diagnoseToken(
  service: Service,
  request: CommandRequest,
  { signal, clock }: CommandContext,
): Promise<Report> {
  const { AuthError, authFetch } = await import('@svc/auth-hooks')
  let attempts = 0
  const counted: Fetch = (input, init) => {
    attempts += 1
    return service.fetch(input, init)
  }
  try {
    const send = authFetch(service.auth, { fetch: counted })
    const response = await send(request.url, toInit(request, signal))
    response.body?.cancel().catch(() => {})
    return tokenReport(response, attempts)
  } catch (error) {
    // Anything else has the network or the configuration to blame, as for every command.
    if (!AuthError.is(error) || error.code !== 'ERR_AUTH_LOGIN_FAILED') throw error
    const { status }: { status?: number } = Object(error.cause)
    const meaning = 'The login was refused, so the request was not sent.'
    const notes = [describeError(error, clock(), service.configuration.baseUrl).text]
    return { status, outcome: 'refused', meaning, differences: [], notes }
  }
}

function tokenReport({ status, headers }: Response, attempts: number): Report {
  const unrefused = reportUnrefused(status, headers, 'token')
  if (unrefused) return unrefused
  const report = { status, outcome: 'refused', differences: [] } as const
  const again = attempts > 1 ? ', and so was a new one' : ''
  if (status === 401) {
    const note =
      'Usual causes: a base URL of another environment, a proxy that drops x-svc-security-token, or another login that ended the session.'
    return { ...report, meaning: `401: the token was refused${again}.`, notes: [note] }
  }
  if (status === 403) {
    const note = 'The token itself is usually good then: the user lacks the permission.'
    return { ...report, meaning: '403: the service does not allow this request.', notes: [note] }
  }
  const meaning = `${status}: the service refused the request, and does not say that the token is why.`
  return { ...report, meaning, notes: [] }
}
