import type { CommandDefinition, Texts } from '../command.ts'
import { exitCodes, UsageError } from '../exit.ts'
import { formatDuration } from '../output/instant.ts'
import { writeNote, writeResult } from '../output/standard-output.ts'
import { keyEnd } from '../request/key-faults.ts'
import { requestOptions, type RequestFlags, readRequest } from '../request/request.ts'
import { openForKey, openSigning } from '../request/signing.ts'

export const presignCommand: CommandDefinition<RequestFlags & Texts<'expires'>> = {
  name: 'presign',
  summary: 'print a link that is signed for someone who has no key',
  description:
    'Signs a URL and prints it. Whoever has the link can send this one request until it expires, so treat it as a secret. ' +
    'Headers that are given here must be sent with it exactly so; a body that is given here must be the one that is sent. ' +
    'Nothing is sent.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL' }],
  options: [
    ...requestOptions,
    {
      flags: '-e, --expires <time>',
      description: 'the time for which it is valid: 600 or 600s, 10m, 12h, 7d; from 1 s to 7 days',
      default: '1h',
    },
  ],
  examples: [
    {
      line: 'svc-auth presign /V1/report.csv --expires 10m',
      does: 'share an object for ten minutes',
    },
    {
      line: 'svc-auth presign -X PUT /V1/upload.csv --expires 1d',
      does: 'let someone upload an object within a day',
    },
  ],
  async run([path = ''], options, context) {
    const expiresInSeconds = readExpiry(options.expires ?? '1h')
    const service = await openForKey(options, context)
    const request = await readRequest(path, options, service.baseUrl, context)
    const signing = await openSigning(service, request, context)
    const auth = await signing.createAuth()
    const { presign } = await import('@svc/auth-sigv4/presign')
    const { url, method, given: headers, body } = request
    const link = await presign(auth, url, { method, headers, expiresInSeconds, body: body?.bytes })
    await writeResult(context, `${link.href}\n`)

    const now = context.clock()
    const keyEndsAt = keyEnd(signing.apiKey)
    const endsAt = Math.min(now + expiresInSeconds * 1000, keyEndsAt ?? Number.POSITIVE_INFINITY)
    const span = `${formatDuration(endsAt - now)}, until ${new Date(endsAt).toISOString()}`
    if (endsAt === keyEndsAt) {
      // Whoever passes it on must know it, so it is said to a file too.
      context.stderr.write(
        `svc-auth: the link is valid for ${span} only, since the session key ends then\n`,
      )
    } else {
      writeNote(context, `the link is valid for ${span}; whoever has it can use it`)
    }
    return exitCodes.done
  },
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

const longestSeconds = 7 * 86_400

/** Reads a length of time such as `600` or `10m`, in seconds. */
function readExpiry(text: string): number {
  const [, count = '', unit = 's'] = /^(\d{1,9})([smhd])?$/i.exec(text.trim()) ?? []
  const seconds = Number(count) * (unitSeconds[unit.toLowerCase()] ?? Number.NaN)
  if (count !== '' && seconds >= 1 && seconds <= longestSeconds) return seconds
  throw new UsageError(
    '--expires must be a time such as 600 (seconds), 10m, 12h or 7d, from 1 second to 7 days',
  )
}
