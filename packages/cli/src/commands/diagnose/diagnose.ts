import type { RunCommand } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { openColours } from '../../output/colours.ts'
import { writeResult } from '../../output/write.ts'
import { type CommandRequest, readRequest } from '../../request/request.ts'
import { readSigning } from '../../request/signing.ts'
import { openService, type Service } from '../../service.ts'
import type { DiagnoseOptions } from './diagnose.options.ts'
import { diagnoseSaved } from './saved-response.ts'
import { formatReport, type Report } from './report.ts'
import { diagnoseSent } from './sent-request.ts'
import { diagnoseToken } from './token.ts'

export const runDiagnose: RunCommand<DiagnoseOptions> = async ([path = ''], options, context) => {
  if (options.probe && options.response !== undefined) {
    throw new UsageError('--probe sends requests, and --response sends none; give one of them')
  }
  if (options.write && !options.probe) {
    throw new UsageError(
      '--write is for --probe; without it the request is sent once, by any method',
    )
  }
  if (options.response === '-' && [options.data, ...(options.header ?? [])].includes('@-')) {
    throw new UsageError('standard input can be read only once; give a file for --response')
  }
  const service = await openService(options, context)
  try {
    const request = await readRequest(path, options, service.baseUrl, context)
    assertProbeable(request, options)
    const report = await diagnoseRequest(service, request, options, context)
    const text = options.json
      ? JSON.stringify(report, null, 2)
      : formatReport(report, await openColours(context))
    await writeResult(context, `${text}\n`)
    return report.outcome === 'accepted' ? exitCodes.done : exitCodes.refused
  } finally {
    await service.close()
  }
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
  const signing = await readSigning(service, request, context)
  if (options.response !== undefined) {
    return diagnoseSaved(options.response, signing, request, context)
  }
  return diagnoseSent(service, signing, request, options, context)
}

function assertProbeable({ method, url, needsToken }: CommandRequest, options: DiagnoseOptions) {
  if (!options.probe) return
  if (needsToken) {
    throw new UsageError(`--probe varies signatures, and ${url.pathname} takes a token`)
  }
  if (!options.write && method !== 'GET' && method !== 'HEAD') {
    throw new UsageError(
      `--probe would send ${method} up to 12 times: add --write if that does no harm, or probe with GET`,
    )
  }
}
