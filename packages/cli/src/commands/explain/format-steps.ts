import type { Colours } from '../../output/colours.ts'
import { printable } from '../../output/text.ts'

/** The steps of a signature, as they are shown: texts in place of bytes, secrets shortened. */
export interface ShownSteps {
  readonly url: string
  readonly canonicalRequest: string
  readonly stringToSign: string
  readonly signedHeaders: string
  readonly payloadHash: string
  readonly signature: string
  readonly headers: Readonly<Record<string, string>>
}

const s3 = 'https://docs.aws.amazon.com/AmazonS3/latest/API'
const iam =
  'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html'

/** The clauses that the lines refer to, in the order of their numbers. */
const clauses = [
  `${s3}/sig-v4-header-based-auth.html#canonical-request`,
  `${iam}#create-canonical-request`,
  `${iam}#create-canonical-request-hash`,
  `${iam}#create-string-to-sign`,
  `${iam}#derive-signing-key`,
  `${iam}#calculate-signature`,
  `${iam}#add-signature-to-request`,
] as const

/** A line of a step: its name, its text, and the number of the clause that it implements. */
type Line = readonly [name: string, text: string, clause: number]

/** Writes the steps of a signature for people. */
export function formatSteps(steps: ShownSteps, { bold, dim, cyan }: Colours): string {
  const sections: readonly (readonly [title: string, lines: readonly Line[]])[] = [
    ['Canonical request', canonicalLines(steps.canonicalRequest)],
    ['String to sign', stringToSignLines(steps.stringToSign)],
    ['Signing key', keyLines(steps.stringToSign)],
    ['Signature', [['HMAC-SHA256(signing key, string to sign)', steps.signature, 6]]],
    [
      'Headers that are sent',
      Object.entries(steps.headers).map(([name, value]): Line => [name, value, 7]),
    ],
  ]
  const blocks = sections.map(([title, lines]) => {
    const width = Math.max(...lines.map(([name]) => name.length))
    const rows = lines.map(([name, text, clause]) =>
      `  ${dim(`[${clause}]`)} ${cyan(name.padEnd(width))}  ${printable(text)}`.trimEnd(),
    )
    return [bold(title), ...rows].join('\n')
  })
  const list = clauses.map((url, index) => dim(`  [${index + 1}] ${url}`))
  return [`${bold('URL')}\n  ${steps.url}`, ...blocks, [bold('Clauses'), ...list].join('\n')].join(
    '\n\n',
  )
}

function canonicalLines(canonicalRequest: string): Line[] {
  const [method = '', path = '', query = '', ...rest] = canonicalRequest.split('\n')
  const [signedHeaders = '', payloadHash = ''] = rest.slice(-2)
  return [
    ['method', method, 2],
    ['path, each byte encoded once', path, 1],
    ['query, encoded and sorted by name', query, 1],
    ...rest.slice(0, -3).map((line): Line => ['header', line, 1]),
    ['end of the headers', '', 2],
    ['signed headers', signedHeaders, 1],
    [payloadName(payloadHash), payloadHash, 1],
  ]
}

function payloadName(hash: string): string {
  return /^[\da-f]{64}$/.test(hash) ? 'SHA-256 of the body' : 'in place of a hash of the body'
}

function stringToSignLines(stringToSign: string): Line[] {
  const [algorithm = '', date = '', scope = '', hash = ''] = stringToSign.split('\n')
  return [
    ['algorithm', algorithm, 4],
    ['date', date, 4],
    ['credential scope', scope, 4],
    ['SHA-256 of the canonical request', hash, 3],
  ]
}

function keyLines(stringToSign: string): Line[] {
  const [, , scope = ''] = stringToSign.split('\n')
  const [date = '', region = '', service = '', end = ''] = scope.split('/')
  return [
    ['date key', `HMAC-SHA256("AWS4" + secret access key, "${date}")`, 5],
    ['region key', `HMAC-SHA256(date key, "${region}")`, 5],
    ['service key', `HMAC-SHA256(region key, "${service}")`, 5],
    ['signing key', `HMAC-SHA256(service key, "${end}")`, 5],
  ]
}
