import type { CommandDefinition } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { formatDuration } from '../../output/instant.ts'
import { headerText } from '../../output/text.ts'
import { writeNote, writeResult } from '../../output/write.ts'
import { requestOptions, type RequestFlags } from '../../request/request.options.ts'
import { readRequest, type CommandRequest, toInit } from '../../request/request.ts'
import { openService, type Service } from '../../service.ts'
import { curlLine, headerLine, type SignedRequest } from './curl.ts'

/** Values of the options of `sign`. */
interface SignOptions extends RequestFlags {
  readonly curl?: boolean
  readonly json?: boolean
}

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
      line: 'eval "$(svc-auth sign --curl -X PUT -H \'content-type: text/csv\' -d @report.csv /V1/report.csv)"',
      does: 'upload a file with curl',
    },
    {
      line: 'svc-auth sign /user/groups | curl -H @- https://search.example.com/user/groups',
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

async function signRequest(
  { auth }: Service,
  request: CommandRequest,
  { signal }: CommandContext,
): Promise<SignedRequest> {
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
    headers: [...headers].map(([name, value]) => [name, headerText(value)]),
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
  { token }: Service,
  context: CommandContext,
): void {
  if (scheme === 'anonymous') return
  const expiresAt = scheme === 'sigv4' ? undefined : token?.inspect().expiresAt
  const validity =
    scheme === 'sigv4'
      ? 'a signature, which services usually accept for 15 minutes'
      : `a token${expiresAt === undefined ? '' : `, valid for ${formatDuration(expiresAt - context.clock())}`}`
  writeNote(context, `the output holds ${validity}: keep it out of logs`)
}
