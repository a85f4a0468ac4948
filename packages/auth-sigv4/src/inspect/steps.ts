import { isS3Service } from '../canonical-request.ts'

const s3 = 'https://docs.aws.amazon.com/AmazonS3/latest/API'
const iam =
  'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html'

/**
 * The clauses of AWS's documents that the lines of {@link listSteps} implement, as URLs, in the order of the steps.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export const stepClauses: readonly [string, string, string, string, string, string, string] = [
  `${s3}/sig-v4-header-based-auth.html#canonical-request`,
  `${iam}#create-canonical-request`,
  `${iam}#create-canonical-request-hash`,
  `${iam}#create-string-to-sign`,
  `${iam}#derive-signing-key`,
  `${iam}#calculate-signature`,
  `${iam}#add-signature-to-request`,
]

const [s3Canonical, canonical, canonicalHash, toSign, signingKey, calculation] = stepClauses

/** The texts of a signature, as `explain` returns them or with secrets shortened. */
export interface Steps {
  /** The canonical request. */
  readonly canonicalRequest: string
  /** The string to sign. */
  readonly stringToSign: string
  /** The signature in hex; empty where it is not known. */
  readonly signature: string
}

/** A step of a signature, with its lines. */
export interface Step {
  /** The name of the step in AWS's documents. */
  readonly title: 'Canonical request' | 'String to sign' | 'Signing key' | 'Signature'
  /** The lines, in their order. */
  readonly lines: readonly StepLine[]
}

/** A line of a step. */
export interface StepLine {
  /** The name for people, such as `query, encoded and sorted by name`. */
  readonly name: string
  /**
   * The name of the line in a `Difference` of `diagnose`, such as `header host`; empty for a line that is never
   * compared.
   */
  readonly line: string
  /** The line itself. */
  readonly text: string
  /** The clause of AWS's documents that it implements, one of {@link stepClauses}. */
  readonly clause: string
}

/**
 * Lists the steps of a signature, each line with its name and its clause, to show them.
 *
 * @example
 * import { listSteps } from '@svc/auth-sigv4/inspect'
 *
 * const canonicalRequest = 'GET\n/a\n\nhost:a.example\n\nhost\nUNSIGNED-PAYLOAD'
 * const [step] = listSteps({ canonicalRequest, stringToSign: '', signature: '' })
 * console.log(step?.lines[1]?.name, step?.lines[1]?.text) // path, each byte encoded once /a
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function listSteps({ canonicalRequest, stringToSign, signature }: Steps): Step[] {
  const [algorithm = '', date = '', scope = '', hash = ''] = stringToSign.split('\n')
  return [
    { title: 'Canonical request', lines: canonicalLines(canonicalRequest, scope) },
    {
      title: 'String to sign',
      lines: [
        line('algorithm', 'algorithm', algorithm, toSign),
        line('date', 'date', date, toSign),
        line('credential scope', 'scope', scope, toSign),
        line('SHA-256 of the canonical request', 'canonical request hash', hash, canonicalHash),
      ],
    },
    { title: 'Signing key', lines: keyLines(scope) },
    {
      title: 'Signature',
      lines: [
        line('HMAC-SHA256(signing key, string to sign)', 'signature', signature, calculation),
      ],
    },
  ]
}

function line(name: string, compared: string, text: string, clause: string): StepLine {
  return { name, line: compared, text, clause }
}

function canonicalLines(canonicalRequest: string, scope: string): StepLine[] {
  const [method = '', path = '', query = '', ...rest] = canonicalRequest.split('\n')
  const [signedHeaders = '', payloadHash = ''] = rest.slice(-2)
  const [, , service = 's3'] = scope.split('/')
  const isS3 = isS3Service(service) || service === ''
  return [
    line('method', 'method', method, canonical),
    line(
      isS3 ? 'path, each byte encoded once' : 'path, as sent and encoded once more',
      'path',
      path,
      isS3 ? s3Canonical : canonical,
    ),
    line('query, encoded and sorted by name', 'query', query, s3Canonical),
    ...rest.slice(0, -3).map((text) => {
      const [name = ''] = text.split(':', 1)
      return line('header', `header ${name}`, text, s3Canonical)
    }),
    line('end of the headers', '', '', canonical),
    line('signed headers', 'signed headers', signedHeaders, s3Canonical),
    line(payloadName(payloadHash), 'payload hash', payloadHash, s3Canonical),
  ]
}

function payloadName(hash: string): string {
  return /^[\da-f]{64}$/.test(hash) ? 'SHA-256 of the body' : 'in place of a hash of the body'
}

function keyLines(scope: string): StepLine[] {
  const [date = '', region = '', service = '', end = ''] = scope.split('/')
  return [
    line(
      'date key',
      'scope date',
      `HMAC-SHA256("AWS4" + secret access key, "${date}")`,
      signingKey,
    ),
    line('region key', 'region', `HMAC-SHA256(date key, "${region}")`, signingKey),
    line('service key', 'service', `HMAC-SHA256(region key, "${service}")`, signingKey),
    line('signing key', 'scope end', `HMAC-SHA256(service key, "${end}")`, signingKey),
  ]
}
