import { forAws, namedByHost } from '../../aws/aws-profile.ts'
import type { CommandDefinition, Switches, Texts } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { openColours } from '../../output/colours.ts'
import { writeResult } from '../../output/standard-output.ts'
import { createFileReader } from '../../request/files.ts'
import {
  requestOptions,
  type RequestFlags,
  type CommandRequest,
  readRequest,
  toInit,
} from '../../request/request.ts'
import { openSigning, type Signing } from '../../request/signing.ts'
import { openService, type Service } from '../../service.ts'
import { formatReport, outcomeOf, type Report, reportOf } from './report.ts'
import { diagnoseSent, isPresigned } from './sent-request.ts'
import { diagnoseToken } from './token.ts'

type DiagnoseOptions = RequestFlags & Texts<'response'> & Switches<'probe' | 'json'>

export const diagnoseCommand: CommandDefinition<DiagnoseOptions> = {
  name: 'diagnose',
  summary: 'say why the service refuses a request',
  description:
    'Sends a request once, and where it is refused says which line of the signature differs and why, from what the service quotes of it. ' +
    'Where it quotes nothing, --probe signs the request in other ways, one at a time, until one is accepted: with the key trimmed, ' +
    'by the clock of the service, for another region or Host, with the path or the order of the query read otherwise; at most 12 requests in all. ' +
    'For a path below /user it says what came of the login and the token. Exits with 0 if the request was accepted as it is configured, else with 1.',
  args: [
    { name: '<path>', description: 'the path below the base URL, or a URL, presigned or not' },
  ],
  options: [
    ...requestOptions,
    {
      flags: '--response <file>',
      description:
        'compare with a response that was saved, by `curl -i` or as its body alone, and send nothing; - is the standard input',
    },
    { flags: '--probe', description: 'try the usual causes where the service quotes nothing' },
    { flags: '--json', description: 'print the diagnosis as JSON' },
  ],
  examples: [
    { line: 'svc-auth diagnose /V1/report.csv', does: 'say why a download is refused' },
    {
      line: 'svc-auth diagnose --probe /V1/report.csv',
      does: 'find out why a server refuses it that says nothing but 403',
    },
    {
      line: 'svc-auth diagnose -X PUT -d @report.csv --response refused.txt /V1/report.csv',
      does: 'compare a response that curl -i has saved with the request that it refused',
    },
  ],
  async run([path = ''], options, context) {
    if (options.probe && options.response !== undefined) {
      throw new UsageError('--probe sends requests, and --response sends none; give one of them')
    }
    if (options.response === '-' && [options.data, ...(options.header ?? [])].includes('@-')) {
      throw new UsageError('standard input can be read only once; give a file for --response')
    }
    const service = await openService(options, context)
    try {
      const request = forAws(service, await readRequest(path, options, service.baseUrl, context))
      assertProbeable(request, options)
      const report = await diagnoseRequest(service, request, options, context)
      const text = options.json
        ? JSON.stringify(report, null, 2)
        : formatReport(report, openColours(context))
      await writeResult(context, `${text}\n`)
      return report.outcome === 'accepted' ? exitCodes.done : exitCodes.refused
    } finally {
      await service.close()
    }
  },
}

async function diagnoseRequest(
  service: Service,
  request: CommandRequest,
  options: DiagnoseOptions,
  context: CommandContext,
): Promise<Report> {
  if (request.needsToken && options.response === undefined) {
    return diagnoseToken(service, request, context)
  }
  const signing = await openSigning(service, request, context)
  const report = await (options.response === undefined
    ? diagnoseSent(service, signing, request, options, context)
    : diagnoseSaved(options.response, signing, request, context))
  const isSignedAsTold =
    service.configuration.aws?.service !== undefined || isPresigned(request.url)
  if (report.outcome !== 'refused' || isSignedAsTold) return report
  const named = await namedByHost(request.url, signing.region)
  return named === undefined ? report : { ...report, notes: [named, ...report.notes] }
}

function assertProbeable({ method, url, needsToken }: CommandRequest, options: DiagnoseOptions) {
  if (!options.probe) return
  if (needsToken) {
    throw new UsageError(`--probe varies signatures, and ${url.pathname} takes a token`)
  }
  if (method !== 'GET' && method !== 'HEAD') {
    throw new UsageError(`--probe would send ${method} up to 12 times: probe with GET`)
  }
}

/** Compares a request with a response to it that was saved. Nothing is sent. */
async function diagnoseSaved(
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
  const isUnexplained = diagnosis.summary.includes('--probe')
  if (isUnexplained) notes.push('Without --response, --probe tries the usual causes.')
  return reportOf(status, diagnosis, notes)
}
