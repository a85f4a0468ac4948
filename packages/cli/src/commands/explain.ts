import type { Explanation } from '@svc/auth-sigv4/explain'
import type { Step } from '@svc/auth-sigv4/inspect'
import type { CommandDefinition, Switches } from '../command.ts'
import { exitCodes } from '../exit.ts'
import { openColours, type Paint } from '../output/colours.ts'
import { headerText, isSecretName, shorten, printable } from '../output/text.ts'
import { writeNote, writeResult } from '../output/standard-output.ts'
import { requestOptions, type RequestFlags, readRequest, toInit } from '../request/request.ts'
import { openForKey, openSigning } from '../request/signing.ts'

export const explainCommand: CommandDefinition<RequestFlags & Switches<'json'>> = {
  name: 'explain',
  summary: 'show step by step how a request is signed',
  description:
    "Shows the canonical request, the string to sign, the steps of the signing key, the signature and the headers, each line with the clause of AWS's documents that it implements. " +
    'Nothing is sent. The key itself is never shown and session tokens are shortened, but the signature is valid for some 15 minutes: keep the output out of logs.',
  args: [{ name: '<path>', description: 'the path below the base URL, or a URL' }],
  options: [
    ...requestOptions,
    {
      flags: '--json',
      description: 'print the steps as JSON, with the canonical request as one text',
    },
  ],
  examples: [
    { line: "svc-auth explain '/V1/?list-type=2&prefix=a b'", does: 'show how a query is signed' },
    {
      line: "svc-auth explain -X PUT -H 'content-type: text/csv' -d @report.csv /V1/report.csv",
      does: 'show how an upload is signed',
    },
    {
      line: `steps=$(svc-auth explain --json /V1/report.csv) && printf %s "$steps" | jq -r .canonicalRequest`,
      does: 'print the canonical request alone, to compare it with that of a server',
    },
  ],
  async run([path = ''], options, context) {
    const service = await openForKey(options, context)
    const request = await readRequest(path, options, service.baseUrl, context)
    const auth = await (await openSigning(service, request, context)).createAuth()
    const { explain } = await import('@svc/auth-sigv4/explain')
    const explanation = await explain(auth, request.url, toInit(request, context.signal))
    const shown = toShown(explanation)
    const { listSteps, stepClauses } = await import('@svc/auth-sigv4/inspect')
    const text = options.json
      ? JSON.stringify(shown, null, 2)
      : formatSteps(shown, listSteps(shown), stepClauses, openColours(context))
    await writeResult(context, `${text}\n`)
    writeNote(context, 'the output holds a valid signature: keep it out of logs')
    return exitCodes.done
  },
}

function toShown({ url, headers, canonicalRequest, ...steps }: Explanation): ShownSteps {
  // Bytes of UTF-8, as everything that is given on a command line.
  const texts = [...headers].map(([name, value]) => [name, headerText(value)] as const)
  const secrets = texts
    .filter(([name, value]) => isSecretName(name) && value !== '')
    // A canonical request folds blanks.
    .flatMap(([, value]) => [value, value.replace(/[\t ]+/g, ' ')])
  const hide = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, shorten(secret)), text)
  return {
    url: url.href,
    canonicalRequest: hide(headerText(canonicalRequest)),
    ...steps,
    headers: Object.fromEntries(texts.map(([name, value]) => [name, hide(value)])),
  }
}

/** The steps of a signature, as they are shown: texts in place of bytes, secrets shortened. */
type ShownSteps = Omit<Explanation, 'headers' | 'url'> & {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Writes the steps of a signature for people, with the clauses that their lines refer to. */
function formatSteps(
  { url, headers }: Pick<ShownSteps, 'url' | 'headers'>,
  steps: readonly Step[],
  clauses: readonly string[],
  paint: Paint,
): string {
  const last = clauses.at(-1) ?? ''
  const sent = Object.entries(headers).map(([name, text]) => ({ name, text, clause: last }))
  const sections = [...steps, { title: 'Headers that are sent', lines: sent }]
  const blocks = sections.map(({ title, lines }) => {
    const width = Math.max(...lines.map(({ name }) => name.length))
    const rows = lines.map(({ name, text, clause }) =>
      `  ${paint('dim', `[${clauses.indexOf(clause) + 1}]`)} ${paint('cyan', name.padEnd(width))}  ${printable(text)}`.trimEnd(),
    )
    return [paint('bold', title), ...rows].join('\n')
  })
  const list = clauses.map((one, index) => paint('dim', `  [${index + 1}] ${one}`))
  return [
    `${paint('bold', 'URL')}\n  ${url}`,
    ...blocks,
    [paint('bold', 'Clauses'), ...list].join('\n'),
  ].join('\n\n')
}
