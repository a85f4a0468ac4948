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
  const { status, headers, body, notes } = await readSavedResponse(text, file)
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

async function readSavedResponse(text: string, file: string): Promise<SavedResponse> {
  if (text.trim() === '') {
    throw new UsageError(`--response ${file}: the file is empty; save the response with curl -i`)
  }
  const { readResponse } = await import('@svc/auth-sigv4/inspect')
  const { status, headers, body } = readResponse(text)
  if (status !== undefined) return { status, headers, body, notes: [] }
  const note = 'The file has no status line, so the status is taken to be 403.'
  return { status: 403, headers, body, notes: [note] }
}
