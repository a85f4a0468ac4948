import type { RunCommand } from '../../command.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { formatDuration } from '../../output/instant.ts'
import { headerText } from '../../output/text.ts'
import { writeNote, writeResult } from '../../output/write.ts'
import { readRequest, type CommandRequest, toInit } from '../../request/request.ts'
import { openService, type Service } from '../../service.ts'
import { curlLine, headerLine, type SignedRequest } from './curl.ts'
import type { SignOptions } from './sign.options.ts'

export const runSign: RunCommand<SignOptions> = async ([path = ''], options, context) => {
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
