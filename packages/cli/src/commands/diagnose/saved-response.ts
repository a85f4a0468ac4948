import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../exit.ts'
import { createFileReader } from '../../request/files.ts'
import { type CommandRequest, toInit } from '../../request/request.ts'
import { assertUsable, type Signing } from '../../request/signing.ts'
import { outcomeOf, type Report, reportOf } from './report.ts'

/** Compares a request with a response to it that was saved. Nothing is sent. */
export async function diagnoseSaved(
  file: string,
  signing: Signing,
  request: CommandRequest,
  context: CommandContext,
): Promise<Report> {
  assertUsable(signing, context)
  const auth = await signing.createAuth()
  const text = (await createFileReader(context)(`--response ${file}`, file)).toString()
  const { status, headers, body, notes } = readSavedResponse(text, file)
  if (outcomeOf(status) === 'accepted') {
    const meaning = `${status}: the saved response says that the request was accepted.`
    return { status, outcome: 'accepted', meaning, differences: [], notes }
  }
  const { diagnose } = await import('@svc/auth-sigv4/diagnose')
  const refusal = { response: { status, headers }, data: body }
  const diagnosis = await diagnose(auth, refusal, request.url, toInit(request, context.signal))
  return reportOf(status, diagnosis, notes)
}

/** A response as a file holds it. */
interface SavedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly notes: readonly string[]
}

/** Reads a response as `curl -i` writes it, after those of a proxy and to `Expect` if there are any, or a body alone. */
function readSavedResponse(text: string, file: string): SavedResponse {
  if (text.trim() === '') {
    throw new UsageError(`--response ${file}: the file is empty; save the response with curl -i`)
  }
  let rest = text
  let status: number | undefined
  let headers: Record<string, string> = {}
  for (;;) {
    const head = /^HTTP\/\d(?:\.\d)? +(\d{3})[^\n]*(?:\n|$)/.exec(rest)
    if (!head) break
    status = Number(head[1])
    const end = /\r?\n\r?\n/.exec(rest)
    headers = readHead(rest.slice(head[0].length, end?.index))
    rest = end ? rest.slice(end.index + end[0].length) : ''
  }
  if (status !== undefined) return { status, headers, body: rest, notes: [] }
  const note = 'The file has no status line, so the status is taken to be 403.'
  return { status: 403, headers, body: text, notes: [note] }
}

function readHead(text: string): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^\s:]+):[\t ]*(.*?)[\t ]*$/.exec(line) ?? []
    if (name !== undefined) headers[name.toLowerCase()] = value
  }
  return headers
}
