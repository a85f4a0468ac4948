import type { CommandDefinition, Switches } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes, UsageError } from '../exit.ts'
import { formatDuration } from '../output/instant.ts'
import { headerText } from '../output/text.ts'
import { writeNote, writeResult } from '../output/standard-output.ts'
import {
  requestOptions,
  type RequestFlags,
  readRequest,
  type CommandRequest,
  toInit,
  type RequestBody,
} from '../request/request.ts'
import { openService, type Service } from '../service.ts'

type SignOptions = RequestFlags & Switches<'curl' | 'json'>

export const signCommand: CommandDefinition<SignOptions> = {
  name: 'sign',
  summary: 'print the headers of a signed request, or a line for curl',
  description:
    'Signs a request without sending it, and prints the headers to send, one on each line, as `curl -H @file` reads them. ' +
    'The method, the path, the query, the headers and the body must be sent as they were given here. A signature is usually valid for 15 minutes. ' +
    'For a path below /user, which takes a token, the headers hold the token of the session; a login may be needed. ' +
    'The output holds a credential: keep it out of logs.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL' }],
  options: [
    ...requestOptions,
    { flags: '--curl', description: 'print one line for a shell that sends the request with curl' },
    { flags: '--json', description: 'print scheme, method, URL and headers as JSON' },
  ],
  examples: [
    { line: 'svc-auth sign /V1/report.csv', does: 'print the headers of a download' },
    {
      line: 'line=$(svc-auth sign --curl -X PUT -H \'content-type: text/csv\' -d @report.csv /V1/report.csv) && eval "$line --fail"',
      does: 'upload a file with curl',
    },
    {
      line: 'svc-auth sign /user/groups | curl --fail -H @- https://search.example.com/user/groups',
      does: 'send a request with the token of the session',
    },
  ],
  async run([path = ''], options, context) {
    if (options.curl && options.json) {
      throw new UsageError('--curl and --json are two forms of the output; give one of them')
    }
    const service = await openService(options, context)
    try {
      const request = await readRequest(path, options, service.baseUrl, context)
      const signed = await signRequest(service, request, context)
      await writeResult(context, formatSigned(signed, request, options))
      noteCredential(signed, service, context)
      return exitCodes.done
    } finally {
      await service.close()
    }
  },
}

/** A request with everything that authenticates it, as it must be sent. */
type SignedRequest = Awaited<ReturnType<typeof signRequest>>

async function signRequest({ auth }: Service, request: CommandRequest, { signal }: CommandContext) {
  const { readRequest: readOutgoing } = await import('@svc/auth-hooks/read-request')
  const outgoing = await readOutgoing(auth, request.url.href, toInit(request, signal))
  const authorization = await auth.authorize(outgoing)
  const headers = new Headers([...outgoing.headers])
  for (const [name, value] of authorization.headers) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  return {
    scheme: authorization.scheme,
    method: outgoing.method,
    url: authorization.url ?? outgoing.url.href,
    // In the order of their names, in lower case.
    headers: [...headers].map(([name, value]) => [name, headerText(value)] as const),
  }
}

function formatSigned(
  signed: SignedRequest,
  { body }: CommandRequest,
  { curl, json }: SignOptions,
): string {
  if (curl) return `${curlLine(signed, body)}\n`
  if (!json) return signed.headers.map((header) => `${headerLine(header)}\n`).join('')
  const { scheme, method, url, headers } = signed
  return `${JSON.stringify({ scheme, method, url, headers: Object.fromEntries(headers) }, null, 2)}\n`
}

function noteCredential(
  { scheme }: SignedRequest,
  { session }: Service,
  context: CommandContext,
): void {
  if (scheme === 'anonymous') return
  const expiresAt = scheme === 'sigv4' ? undefined : session?.auth.inspect().expiresAt
  const validity =
    scheme === 'sigv4'
      ? 'a signature, which services usually accept for 15 minutes'
      : `a token${expiresAt === undefined ? '' : `, valid for ${formatDuration(expiresAt - context.clock())}`}`
  writeNote(context, `the output holds ${validity}: keep it out of logs`)
}

/**
 * Writes a request as one line for a POSIX shell that sends it with curl, byte for byte as it was signed.
 *
 * @see https://curl.se/docs/manpage.html
 */
function curlLine({ method, url, headers }: SignedRequest, body: RequestBody | undefined): string {
  const data = dataArguments(method, body)
  const hasType = headers.some(([name]) => name === 'content-type')
  return [
    'curl',
    // Brackets and braces of a URL are its own, and stand for no list.
    '--globoff',
    // With `-X HEAD`, curl waits for a body that never comes.
    ...(method === 'HEAD' ? ['--head'] : ['-X', quote(method)]),
    ...headers.flatMap((header) => ['-H', quote(headerLine(header))]),
    // With data, curl adds a type of its own, which was not signed.
    ...(data.length > 0 && !hasType ? ['-H', "'content-type:'"] : []),
    ...data,
    quote(url),
  ].join(' ')
}

/** Writes a header as curl reads it, to which a colon without a value means that it must not be sent. */
function headerLine([name, value]: readonly [name: string, value: string]): string {
  return value === '' ? `${name};` : `${name}: ${value}`
}

/** The longest text that is quoted: Linux allows 128 KiB for one argument of a program. */
const maxWordBytes = 100_000

function dataArguments(method: string, body: RequestBody | undefined): string[] {
  if (body === undefined) {
    // So that it sends a length, as servers ask for with these methods.
    return /^(?:POST|PUT|PATCH)$/.test(method) ? ['--data-raw', "''"] : []
  }
  const { source, bytes } = body
  if (source.kind === 'file') return ['--data-binary', quote(`@${source.name}`)]
  const text = bytes.toString()
  const isText = Buffer.from(text).equals(bytes) && !text.includes('\0')
  if (!isText || bytes.byteLength > maxWordBytes) {
    throw new UsageError(
      '--curl: a body that is no text, or longer than 100 000 bytes, needs a file: give --data @file',
    )
  }
  return ['--data-raw', quote(text)]
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
