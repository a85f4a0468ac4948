import { emptyVariables, type Found } from '../configuration/settings.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes, Interrupted, NetworkError, UsageError } from '../exit.ts'
import { formatInstant } from './instant.ts'
import { printable } from './text.ts'

/** The fields of an error that decide what is said of it. */
type ErrorFacts = Readonly<Record<string, unknown>>

/** Says on standard error why a command failed, and returns its exit code. */
export function reportError(error: unknown, context: CommandContext, baseUrl?: Found): ExitCode {
  const isInterrupted = causesOf(error).some((one) => one instanceof Interrupted)
  if (isInterrupted || context.signal.aborted) return exitCodes.interrupted
  const { exitCode, text } = describeError(error, context.clock(), baseUrl)
  const isUnknown = exitCode === exitCodes.network && !(error instanceof NetworkError)
  const remedy = isUnknown ? '; svc-auth doctor --online checks the connection' : ''
  const empty = emptyVariables(context).flatMap((name) =>
    // What stands in for a variable of AWS's is named in its place.
    new RegExp(`\\b${name.replace(/^AWS/, 'SVC_AUTH')}\\b`).test(text) ? `${name} is empty` : [],
  )
  const hint = exitCode === exitCodes.usage && empty.length > 0 ? ` (${empty.join(', ')})` : ''
  context.stderr.write(`svc-auth: ${text}${remedy}${hint}\n`)
  return exitCode
}

type Described = { readonly exitCode: ExitCode; readonly text: string }

/** Returns what is said of an error in one line, and the exit code. The base URL is that of the command. */
export function describeError(error: unknown, now: number, baseUrl?: Found): Described {
  const place = baseUrl ? `${baseUrl.value} (from ${baseUrl.source})` : 'of the service'
  const { exitCode, text } = explain(error, now, place)
  // It may quote what the service said.
  return { exitCode, text: printable(text.replace(/[\t-\r]+/g, ' ')) }
}

function explain(error: unknown, now: number, place: string): Described {
  const message = error instanceof Error ? error.message : String(error)
  const facts: ErrorFacts = Object(error)
  const { code, path, syscall } = facts
  // What a login or a signature asked for may be wrong by itself.
  const usage = causesOf(error).find((one) => one instanceof UsageError)
  if (usage) return { exitCode: exitCodes.usage, text: usage.message }
  if (error instanceof NetworkError) return { exitCode: exitCodes.network, text: message }
  const own = ownMistake(error)
  if (own !== undefined) return { exitCode: exitCodes.usage, text: own }
  const network = networkCode(error)
  const unreached = `no complete response from ${place}: ${network}`
  if (typeof code === 'string' && code.startsWith('ERR_AUTH_')) {
    const isUnreached = network !== undefined && code.endsWith('_NETWORK')
    const text = isUnreached ? unreached : authText(message, facts, now, place)
    return { exitCode: authExitCode(code), text }
  }
  if (error instanceof TypeError && message.startsWith('[@svc/')) {
    return { exitCode: exitCodes.usage, text: withoutPackage(message) }
  }
  if (typeof syscall === 'string' && typeof path === 'string') {
    // Of `EACCES: permission denied, open '…'`, what a user reads.
    const text = `${path}: ${message.replace(/^\w+: |, .*$/g, '')}`
    return { exitCode: exitCodes.usage, text }
  }
  if (network === undefined) return { exitCode: exitCodes.usage, text: message }
  return { exitCode: exitCodes.network, text: unreached }
}

/** Returns an error and what led to it, the nearest first. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let one = error; one instanceof Error && causes.length < 8; one = one.cause) causes.push(one)
  return causes
}

function authExitCode(code: string): ExitCode {
  if (/_NETWORK$|_TIMEOUT$/.test(code)) return exitCodes.network
  // The request left, or the service responded to the login.
  return /^ERR_AUTH_(?:LOGIN_|SIGN_IN_DENIED$|REDIRECT$)/.test(code)
    ? exitCodes.refused
    : exitCodes.usage
}

function authText(message: string, facts: ErrorFacts, now: number, place: string): string {
  const { retryAt, serverMessage } = facts
  const { status = Object(facts['cause']).status } = facts
  // What a program reads from the error's fields stands in words here.
  const text = withoutPackage(message)
    .replace(/; read error.serverMessage for the reason|(?<=status 501): try again later/g, '')
    .replace(/; not retried before [\dT:.Z-]+/g, '')
  const said =
    typeof serverMessage === 'string'
      ? `; the service says: ${serverMessage.replace(/[.\s]+$/, '')}`
      : ''
  const own = facts['code'] === 'ERR_AUTH_LOGIN_FAILED' ? ' with this password' : ''
  const isAhead = typeof retryAt === 'number' && retryAt > now
  const pause = isAhead
    ? `; logins${own} pause until ${formatInstant(retryAt, now)}, so that the account is not locked out`
    : ''
  const password = status === 403 ? 'the password and ' : ''
  const isElsewhere = [403, 404, 405, 501].includes(status)
  // `/user/login` is added to the base URL.
  const isDoubled = status !== undefined && text.includes('/user/user/login')
  const extra = isDoubled ? ', which must not end in /user' : ''
  const remedy = isElsewhere || isDoubled ? `; check ${password}the base URL ${place}${extra}` : ''
  return `${text}${said}${remedy}${pause}`
}

/** The package is of interest to those who import it. */
function withoutPackage(message: string): string {
  return message.replace(/^\[@svc\/[\w-]+\] /, '')
}

/** Returns what is wrong with a request that undici does not send, or not to its end. */
function ownMistake(error: unknown): string | undefined {
  const causes = causesOf(error)
  if (causes.some((one) => Object(one).code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')) {
    return 'the body is not as long as its Content-Length says'
  }
  if (causes.some(({ message }) => message === 'bad port')) {
    return 'the port of the base URL is one of other protocols, which fetch blocks; choose another one'
  }
  return undefined
}

/** Returns the code of the failed connection behind an error, with what it means. */
function networkCode(error: unknown): string | undefined {
  const meanings: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'the connection was refused',
    ERR_SSL_WRONG_VERSION_NUMBER: 'this port speaks http, not https',
    ERR_SSL_PACKET_LENGTH_TOO_LONG: 'this port speaks http, not https',
    ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'it speaks HTTP/2 alone, which --http2 offers',
    ECONNRESET: 'the connection was reset',
    ENOTFOUND: 'no such host',
    EAI_AGAIN: 'the name of the host could not be looked up',
    ETIMEDOUT: 'no response in time',
    EPIPE: 'the connection was closed',
    UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
    UND_ERR_HEADERS_TIMEOUT: 'no response in time',
    UND_ERR_BODY_TIMEOUT: 'no more of the response in time',
    UND_ERR_SOCKET: 'the connection was closed',
  }
  for (const one of causesOf(error)) {
    const { code }: ErrorFacts = Object(one)
    const [inner] = one instanceof AggregateError ? (one.errors as unknown[]) : []
    const found = typeof code === 'string' && code !== '' ? code : Object(inner).code
    if (typeof found !== 'string' || !/^(?!ERR_AUTH_)[A-Z][A-Z0-9_]+$/.test(found)) continue
    // The message of OpenSSL names its source files.
    return `${meanings[found] ?? Object(one).reason ?? one.message} (${found})`
  }
  return undefined
}
