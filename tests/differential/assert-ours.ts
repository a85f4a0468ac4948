import type { Case } from './case.ts'
import { constantHeader, type Observation } from './observe.ts'
import type { Arrived } from './server/plan.ts'

/**
 * Returns what is wrong with an authenticated call, whatever the bare client does: framing has one owner, nothing is
 * left on a connection, and the credential goes exactly where it belongs.
 */
export function faultsOf(one: Case, seen: Observation): string[] {
  const { arrived, stray, probe, ending } = seen
  const hasProbe = 'answer' in probe && probe.answer.body === 'answer of /probe'
  const isLost = one.pace === 'around the body' && 'error' in ending && isReset(ending.error)
  return [
    ...(isLost ? ['the response was lost, though the server sent it to its end'] : []),
    ...stray.map((bytes) => `stray bytes: ${bytes}`),
    ...(hasProbe ? [] : ['the GET that followed did not get its own response']),
    ...arrived.flatMap((request) => faultsOfRequest(one, request)),
  ]
}

/** Tells if an error, or what caused it, is the end of a connection. */
function isReset(error: unknown): boolean {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  const isOwn = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET'
  return isOwn || (cause !== undefined && cause !== error && isReset(cause))
}

function faultsOfRequest(one: Case, request: Arrived): string[] {
  const { path, method, framing, bytes, headers, origin, isComplete } = request
  const name = `${method} ${path}`
  const isCovered = origin !== 'uncovered'
  const values = headers.filter(([header]) => header.toLowerCase() === constantHeader[0])
  const faults = request.faults
    // A client that gives up in the middle says so by the end of the connection.
    .filter((fault) => fault !== 'unfinished')
    .map((fault) => `${name}: ${fault}`)
  if (values.length !== (isCovered ? 1 : 0)) faults.push(`${name}: ${values.length} credentials`)
  if (framing === 'both') faults.push(`${name}: content-length beside transfer-encoding`)
  if (bytes.length === 0 && isComplete && framing === 'chunked' && isEmpty(one, path)) {
    faults.push(`${name}: chunked without a body`)
  }
  return faults
}

function isEmpty({ body }: Case, path: string): boolean {
  return path === '/probe' || body === 'none' || body === 'empty text'
}
