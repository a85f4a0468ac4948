import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../exit.ts'
import { createFileReader } from '../../request/files.ts'
import { type CommandRequest, toInit } from '../../request/request.ts'
import type { Signing } from '../../request/signing.ts'
import { outcomeOf, type Report, reportOf } from './report.ts'

/** Compares a request with a response to it that was saved. Nothing is sent. */
export async function diagnoseSaved(
  file: string,
  signing: Signing,
  request: CommandRequest,
  context: CommandContext,
): Promise<Report> {
  const auth = await signing.createAuth()
  const text = (await createFileReader(context)(`--response ${file}`, file)).toString()
  if (text.trim() === '') {
    throw new UsageError(`--response ${file}: the file is empty; save the response with curl -i`)
  }
  const { readResponse } = await import('@svc/auth-sigv4/inspect')
  const saved = readResponse(text)
  const { status = 403, headers, body } = saved
  const notes =
    saved.status === undefined
      ? ['The file has no status line, so the status is taken to be 403.']
      : []
  if (outcomeOf(status) === 'accepted') {
    const meaning = `${status}: the saved response says that the request was accepted.`
    return { status, outcome: 'accepted', meaning, differences: [], notes }
  }
  const { diagnose } = await import('@svc/auth-sigv4/diagnose')
  const refusal = { response: { status, headers }, data: body }
  const diagnosis = await diagnose(auth, refusal, request.url, toInit(request, context.signal))
  return reportOf(status, diagnosis, notes)
}
