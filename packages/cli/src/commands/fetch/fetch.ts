import { type CommandDefinition, http2Option } from '../../command.ts'
import { type Configuration, readConfiguration } from '../../configuration/configuration.ts'
import { secretPlaces } from '../../configuration/configured-key.ts'
import { normalBaseUrl } from '../../configuration/profiles.ts'
import type { CommandContext } from '../../context.ts'
import { type ExitCode, exitCodes, NetworkError, UsageError } from '../../exit.ts'
import { openStandardOutput } from '../../output/standard-output.ts'
import { headerOption } from '../../request/request.ts'
import { resolveUrl } from '../../request/url.ts'
import { openConfigured, type Service } from '../../service.ts'
import { deliver, statusOf } from './deliver.ts'
import { type Download, openDownload, remoteName } from './download.ts'
import { createProgress, noProgress } from './progress.ts'
import {
  type Call,
  type FetchOptions,
  type FetchRequest,
  readRequest,
  requestLine,
  shownUrl,
} from './request.ts'
import { type FetchResponse, headerOf, sendRequest } from './send.ts'
import { startVerboseLog } from './verbose.ts'

export const fetchCommand: CommandDefinition<FetchOptions> = {
  name: 'fetch',
  summary: 'send a request to the service, as curl would',
  description:
    'Sends one request to the service, with a token or a signature as its path needs, and prints the body of ' +
    'the response: JSON in a readable form on a terminal, and every byte as it came anywhere else. The flags ' +
    'are those of curl. A status from 400 on ends with exit code 1; the error is printed on standard output ' +
    'and never takes the place of a file. A file replaces another one only when it is complete; curl, through the proxy, goes on with ' +
    `a download that broke off. ${secretPlaces}`,
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL below it' }],
  options: [
    {
      flags: '-X, --request <method>',
      description: 'the method',
      default: 'GET; POST with --data or --json, PUT with --upload-file, HEAD with --head',
    },
    headerOption,
    {
      flags: '-d, --data <data>',
      description:
        'the body, as a form: text, @file or @- for standard input, sent as it is, line breaks included; ' +
        'several are joined by &',
      isRepeatable: true,
    },
    { flags: '--data-binary <data>', description: 'the same as --data', isRepeatable: true },
    {
      flags: '--data-raw <text>',
      description: 'the body, as a form, where a leading @ has no meaning',
      isRepeatable: true,
    },
    {
      flags: '--json <data>',
      description: 'the body, as JSON: text, @file or @-; asks for JSON too; several are joined',
      isRepeatable: true,
    },
    {
      flags: '-T, --upload-file <file>',
      description:
        'a file to send as it is, or - for standard input; a path that ends with / gets the name of the file. ' +
        'A pipe is read to its end before it is sent, since the service wants the length: beyond 8 MiB it ' +
        'is kept in a temporary file, unless -H "Content-Length: <bytes>" tells the length',
    },
    {
      flags: '-o, --output <file>',
      description: 'the file to write the body to; - is standard output, binary or not',
      default: '-, but nothing binary on a terminal',
    },
    { flags: '-O, --remote-name', description: 'write to a file named like the end of the path' },
    { flags: '-r, --range <range>', description: 'the bytes to get, such as 0-499 or -500' },
    { flags: '-i, --include', description: 'print the head of the response before the body' },
    { flags: '-I, --head', description: 'send HEAD, and print the head of the response' },
    { flags: '-f, --fail', description: 'print nothing of an error but one line' },
    {
      flags: '-m, --max-time <seconds>',
      description: 'the longest that all of it may take',
      default: 'no limit, but for 5 minutes without a byte of a body',
    },
    { flags: '-s, --silent', description: 'show neither progress nor hints' },
    { flags: '-S, --show-error', description: 'accepted as curl does; errors are always shown' },
    http2Option,
    {
      flags: '-v, --verbose',
      description: 'print each request and response on standard error, without secrets',
    },
  ],
  examples: [
    { line: 'svc-auth fetch /user/groups', does: 'list the groups of the user' },
    {
      line: 'svc-auth fetch -O /V1/report.csv',
      does: 'download an object',
    },
    { line: 'svc-auth fetch -T report.csv /V1/', does: 'upload a file as /V1/report.csv' },
    {
      line: 'tar c logs | svc-auth fetch -T - /V1/logs.tar',
      does: 'upload the output of a command',
    },
    {
      line: `svc-auth fetch -X PUT --json '{"theme":"dark"}' /V1/settings.json`,
      does: 'send JSON',
    },
    {
      line: 'svc-auth fetch -f -o settings.json /V1/settings.json && jq .theme settings.json',
      does: 'read a response; an error replaces no file and ends the line',
    },
  ],
  async run([path = ''], options, { signal, ...outside }) {
    const timeout = readMaxTime(options)
    const isShown = outside.stderr.isTTY === true && !options.silent
    const context = { ...outside, signal: timeout ? AbortSignal.any([signal, timeout]) : signal }
    const progress = isShown ? createProgress(context) : noProgress
    let service: Service | undefined
    let request: FetchRequest | undefined
    let isDone = false
    try {
      // A credential_process may take its time, too.
      service = await openFor(path, await readConfiguration(options, context), context)
      request = await readRequest(path, options, service.baseUrl, context, progress)
      const exitCode = await carryOut({ service, request, options, context, progress })
      isDone = true
      return exitCode
    } catch (error) {
      progress.end()
      const line = request ? requestLine(request) : 'the request'
      if (signal.aborted) {
        context.stderr.write(`svc-auth: interrupted; ${line} was not completed\n`)
        return exitCodes.interrupted
      }
      if (!timeout?.aborted) throw error
      throw new NetworkError(`${line} took longer than --max-time ${options.maxTime} s`)
    } finally {
      await request?.body?.close()
      // What is left under way, such as a login, would keep the process.
      await service?.close(!isDone)
    }
  },
}

/** Opens the service with the credential that a path needs, and looks for no secret of the other one. */
async function openFor(
  path: string,
  configuration: Configuration,
  context: CommandContext,
): Promise<Service> {
  const base = normalBaseUrl(configuration.baseUrl?.value ?? '')
  // What is wrong with the base URL or the path is said once the service is open.
  const url = configuration.signIn ? undefined : await resolveUrl(path, base).catch(() => undefined)
  const unneeded = url && (url.needsToken ? { key: undefined } : { user: undefined })
  return openConfigured({ ...configuration, ...unneeded }, context)
}

function readMaxTime({ maxTime }: FetchOptions): AbortSignal | undefined {
  if (maxTime === undefined) return undefined
  const seconds = Number(maxTime)
  // A timer of Node's takes no more.
  if (seconds > 0 && seconds < 2_147_483) return AbortSignal.timeout(Math.ceil(seconds * 1000))
  throw new UsageError('--max-time must be a number of seconds greater than 0')
}

async function carryOut(call: Call): Promise<ExitCode> {
  const { options, context } = call
  const download = await openFile(call)
  const endLog = options.verbose ? startVerboseLog(context) : undefined
  try {
    const response = await sendRequest(call)
    // What is said of the response stands on lines of its own.
    call.progress.end()
    const output = openStandardOutput(context)
    const isRefused = response.statusCode >= 400
    const redirect = redirectOf(call, response)
    const isTold = isRefused || (redirect && (download || !options.silent))
    if (isTold) {
      const remark = redirect
        ? redirectRemark(call, response, redirect)
        : refusalRemark(call, response)
      context.stderr.write(`svc-auth: ${requestLine(call.request)}: ${remark}\n`)
    }
    // An error, a redirect and what has not changed are no file.
    const file = response.statusCode < 300 ? download : undefined
    await deliver(call, response, output, file)
    if (!file) await download?.abandon()
    // Whoever asked for a file has not got it.
    const isMissing = redirect && download !== undefined
    return isRefused || isMissing ? exitCodes.refused : exitCodes.done
  } catch (error) {
    await download?.abandon()
    throw error
  } finally {
    endLog?.()
  }
}

/** Opens the file of `--output`, before anything is sent. */
async function openFile({ options, request, context }: Call): Promise<Download | undefined> {
  const { output, remoteName: isNamed, head } = options
  if (isNamed && output !== undefined) {
    throw new UsageError('--output and --remote-name both name the file; give one of them')
  }
  const file = isNamed ? remoteName(request.url) : output
  if (file === undefined || file === '-' || head) return undefined
  context.signal.throwIfAborted()
  return openDownload(file)
}

const endedHint =
  '; another login of this user may have ended the session, and so soon after the last one none is made: try again in 30 s'

function refusalRemark({ request, options, service }: Call, response: FetchResponse): string {
  const isDenied = [400, 401, 403].includes(response.statusCode)
  const hint =
    isDenied && !request.needsToken && !options.silent
      ? '; if it is the signature, svc-auth diagnose with the same path (and -X, -H, -d) says which line differs'
      : ''
  const isEnded = response.statusCode === 401 && request.needsToken && service.configuration.user
  const why = isEnded && !options.silent ? endedHint : ''
  return `the service responded ${statusOf(response)}${hint}${why}`
}

/** Returns where a redirect leads, which is told and not followed; `undefined` if a response is none. */
function redirectOf({ request: { url } }: Call, response: FetchResponse): URL | undefined {
  const location = headerOf(response, 'location')
  const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode)
  if (!isRedirect || location === undefined || !URL.canParse(location, url.href)) return undefined
  return new URL(location, url)
}

function redirectRemark({ service }: Call, { statusCode }: FetchResponse, target: URL): string {
  const remedy = service.auth.covers(target)
    ? 'ask for that in its place'
    : 'that is not the service of the base URL'
  return `${statusCode} leads to ${shownUrl(target)}; ${remedy}`
}
