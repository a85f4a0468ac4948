import type { RunCommand } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { type ExitCode, exitCodes, NetworkError, UsageError } from '../../exit.ts'
import { openStandardOutput } from '../../output/standard-output.ts'
import { openService, type Service } from '../../service.ts'
import { deliver } from './deliver.ts'
import { type Download, openDownload, remoteName } from './download.ts'
import type { FetchOptions } from './fetch.command.ts'
import { createProgress, noProgress, type Progress } from './progress.ts'
import { type FetchRequest, readRequest, requestLine, shownUrl } from './request.ts'
import { openResumable } from './resume.ts'
import { type FetchResponse, headerOf, sendRequest, type SendOptions } from './send.ts'
import { startVerboseLog } from './verbose.ts'

/** A call of the command. */
interface Call {
  readonly service: Service
  readonly request: FetchRequest
  readonly options: FetchOptions
  readonly context: CommandContext
  readonly signal: AbortSignal
  readonly progress: Progress
}

export const runFetch: RunCommand<FetchOptions> = async ([path = ''], options, context) => {
  const timeout = readMaxTime(options)
  const signal = timeout ? AbortSignal.any([context.signal, timeout]) : context.signal
  const service = await openService(options, context)
  const isShown = context.stderr.isTTY === true && !options.silent
  const progress = isShown ? createProgress(context) : noProgress
  let request: FetchRequest | undefined
  try {
    request = await readRequest(path, options, { baseUrl: service.baseUrl, context, signal })
    const call = { service, request, options, context, signal, progress }
    const exitCode = await carryOut(call)
    await service.close()
    return exitCode
  } catch (error) {
    progress.end()
    // Requests of others, such as a login, would keep the process.
    await (await service.dispatcher()).destroy().catch(() => {})
    const line = request ? requestLine(request) : 'the request'
    if (context.signal.aborted) {
      context.stderr.write(`svc-auth: interrupted; ${line} was not completed\n`)
      return exitCodes.interrupted
    }
    if (!timeout?.aborted) throw error
    throw new NetworkError(`${line} took longer than --max-time ${options.maxTime} s`, {
      cause: error,
    })
  } finally {
    await request?.body?.close()
  }
}

function readMaxTime({ maxTime }: FetchOptions): AbortSignal | undefined {
  if (maxTime === undefined) return undefined
  const seconds = Number(maxTime)
  // A timer of Node's takes no more.
  if (seconds > 0 && seconds < 2_147_483) return AbortSignal.timeout(Math.ceil(seconds * 1000))
  throw new UsageError('--max-time must be a number of seconds greater than 0')
}

async function carryOut(call: Call): Promise<ExitCode> {
  const { request, options, context, progress } = call
  const download = await openFile(call)
  const log = options.verbose ? startVerboseLog(context) : undefined
  try {
    const { response, verdict } = await send(call, download, log)
    if (verdict === 'complete') {
      response.body.destroy()
      await download?.complete()
      return exitCodes.done
    }
    const output = openStandardOutput(context)
    const isRefused = response.status >= 400
    const isRedirect = response.status >= 300 && headerOf(response, 'location') !== undefined
    if (isRefused) reportRefusal(call, response)
    else if (isRedirect) reportRedirect(call, response)
    const file = verdict === 'refused' ? undefined : download
    await deliver({ request, options, context, progress, response, output, file })
    await output.end()
    if (!file) await download?.abandon()
    return isRefused || (isRedirect && download) ? exitCodes.refused : exitCodes.done
  } catch (error) {
    const remedy = await download?.abandon()
    if (remedy !== undefined) context.stderr.write(`svc-auth: ${remedy}\n`)
    throw error
  } finally {
    log?.end()
  }
}

/** Opens the file of `--output`, before anything is sent. */
async function openFile({ options, request, context }: Call): Promise<Download | undefined> {
  const { output, remoteName: isNamed, compressed, head } = options
  const isContinued = options.continue === true || options.continueAt !== undefined
  if (isNamed && output !== undefined) {
    throw new UsageError('--output and --remote-name both name the file; give one of them')
  }
  const file = isNamed ? remoteName(request.url) : output
  if (isContinued && (file === undefined || file === '-')) {
    throw new UsageError('--continue needs a file; give --output or --remote-name')
  }
  if (isContinued && (compressed || head || request.method !== 'GET')) {
    throw new UsageError(
      '--continue is for a plain GET; leave out --compressed, --head and --request',
    )
  }
  if (isContinued && request.headers.some(([name]) => name === 'range' || name === 'if-range')) {
    throw new UsageError('--continue finds its own range; leave out that header')
  }
  if (file === undefined || file === '-' || head) return undefined
  context.signal.throwIfAborted()
  return isContinued ? openResumable(file, request.url) : openDownload(file)
}

/** Sends the request, and once more without a range if what is there is a part of something else. */
async function send(
  { service, request, options, signal, progress }: Call,
  download: Download | undefined,
  observer: SendOptions['observer'],
): Promise<{ response: FetchResponse; verdict: 'receive' | 'complete' | 'refused' }> {
  const sending = { signal, progress, observer, followsRedirects: options.location === true }
  const response = await sendRequest(service, request, {
    ...sending,
    headers: download?.headers ?? [],
  })
  const verdict = (await download?.accept(response)) ?? 'receive'
  if (verdict !== 'anew') return { response, verdict }
  response.body.destroy()
  const whole = await sendRequest(service, request, { ...sending, headers: [] })
  const second = (await download?.accept(whole)) ?? 'receive'
  return { response: whole, verdict: second === 'anew' ? 'refused' : second }
}

function reportRefusal(
  { request, context }: Call,
  { status, statusText, isSigned }: FetchResponse,
): void {
  const isDenied = status === 400 || status === 401 || status === 403
  const hint =
    isSigned && isDenied
      ? '; if it is the signature, svc-auth diagnose with the same arguments says which line differs'
      : ''
  context.stderr.write(
    `svc-auth: ${requestLine(request)}: the service responded ${`${status} ${statusText}`.trim()}${hint}\n`,
  )
}

function reportRedirect({ request, options, context }: Call, response: FetchResponse): void {
  const location = headerOf(response, 'location') ?? ''
  const isFile = options.output !== undefined || options.remoteName === true
  const isHint = context.stderr.isTTY === true && !options.silent
  if ((!isFile && !isHint) || !URL.canParse(location, request.url.href)) return
  const target = shownUrl(new URL(location, request.url))
  context.stderr.write(
    `svc-auth: ${requestLine(request)}: ${response.status} leads to ${target}; --location follows it\n`,
  )
}
