import { headerOf } from '../input/pasted-request.ts'
import { checkBody, isBodyMissing } from './check-body.ts'
import { findVariant, type Variant } from './find-variant.ts'
import { type Finding, open, wrong } from './inspection.ts'
import { computedAlgorithm, type SignedParts } from './signed-parts.ts'

/**
 * Checks a signature by all that is known without a server.
 *
 * @param verdict - The verdict on the server's response, if there was one.
 */
export async function checkSignature(
  parts: SignedParts,
  hash: (bytes: Uint8Array) => string,
  verdict: string | undefined,
): Promise<Finding[]> {
  const { read } = parts
  if (!read) return [unsigned(parts)]
  const found = [
    ...(read.problems.length > 0
      ? [wrong('The signature is malformed', read.problems[0] ?? '', read.problems.slice(1))]
      : []),
    missingHeaders(parts),
    unsignedHeaders(parts),
    missingHash(parts),
    verdict === 'payload' ? undefined : checkBody(parts, hash),
    otherKey(parts),
    await signatureFinding(parts),
  ]
  return found.filter((finding) => finding !== undefined)
}

function unsigned({ request, key }: SignedParts): Finding {
  const authorization = headerOf(request.headers, 'authorization') ?? ''
  const [scheme = ''] = authorization.split(' ', 1)
  const isOther = /^(?:AWS|Basic|Bearer|Digest)$/i.test(scheme)
  // Whatever adds it adds the signature.
  const isLeftOut = !isOther && headerOf(request.headers, 'x-amz-date') !== undefined
  if (isLeftOut) {
    return open(
      'The Authorization header is missing',
      'The request has the x-amz-date of a signature, but not the signature: whatever recorded it left it out.',
      [
        'Chrome leaves it out of a HAR, unless you export it with sensitive data.',
        'The lines are shown as these packages would sign them.',
      ],
    )
  }
  return open(
    'The request is not signed',
    isOther
      ? `Its Authorization header is of the scheme ${scheme}, not a signature of version 4.`
      : 'It bears no signature of version 4.',
    [
      'It is shown as these packages would sign it now.',
      ...(key.secretAccessKey === '' ? ['Without a secret key, there is no signature.'] : []),
      ...(key.region === '' ? ['No region is given, so us-east-1 stands in its place.'] : []),
    ],
  )
}

function missingHeaders({ read, request }: SignedParts): Finding | undefined {
  const missing = read?.missingHeaders ?? []
  if (missing.length === 0) return undefined
  const names = missing.join(', ')
  if (request.isUrlAlone === true) {
    return open(
      'Signed headers are not known',
      `The URL was signed with ${names}: whoever uses it must send ${missing.length > 1 ? 'them' : 'it'} with the very value that was signed.`,
      ['To check the signature, paste the whole request, or give it by the fields.'],
    )
  }
  return wrong(
    'A signed header is missing',
    `The request lists ${names} as signed, but does not have ${missing.length > 1 ? 'them' : 'it'}.`,
    ['Whatever sent or recorded the request left it out; it is signed here as empty.'],
  )
}

/** AWS refuses what anybody on the way could have added. */
function unsignedHeaders({ read, request }: SignedParts): Finding | undefined {
  const names = request.headers
    .map(([name]) => name.toLowerCase())
    .filter((name) => name.startsWith('x-amz-') && !read?.signedHeaders.includes(name))
  if (names.length === 0) return undefined
  const list = [...new Set(names)].slice(0, 5).join(', ')
  return wrong(
    'A header is not signed',
    `${list} ${names.length > 1 ? 'are' : 'is'} sent and not signed. AWS wants every x-amz- header signed, and refuses the request (AccessDenied).`,
  )
}

/** S3 does not hash the body by itself. */
function missingHash({ read, request }: SignedParts): Finding | undefined {
  const isS3 = read?.form === 'header' && /^s3(?:$|express|-o)/.test(read.service)
  if (!isS3 || headerOf(request.headers, 'x-amz-content-sha256') !== undefined) return undefined
  return wrong(
    'x-amz-content-sha256 is missing',
    'S3 wants this header with the SHA-256 of the body or UNSIGNED-PAYLOAD, signed as well, and refuses the request.',
    ['With curl: -H "x-amz-content-sha256: UNSIGNED-PAYLOAD", or curl 8 and later, which adds it.'],
  )
}

function otherKey({ read, key, request }: SignedParts): Finding | undefined {
  if (read && key.accessKeyId !== '' && key.accessKeyId !== read.accessKeyId) {
    return wrong(
      'It is another key',
      `The request was signed with the access key ${read.accessKeyId}, not with ${key.accessKeyId}.`,
    )
  }
  const sent =
    headerOf(request.headers, 'x-amz-security-token') ??
    new URL(request.url).searchParams.get('X-Amz-Security-Token') ??
    undefined
  if (key.sessionToken !== '' && sent !== undefined && sent !== key.sessionToken) {
    return wrong('It is another session token', 'The request has another than the one given here.')
  }
  const others = [
    ['region', key.region, read?.region],
    ['service', key.service, read?.service],
  ] as const
  const [name, given, signed] = others.find(([, one, own]) => one !== '' && one !== own) ?? []
  if (name === undefined) return undefined
  return wrong(
    `The ${name} is another one`,
    `The request was signed for the ${name} '${signed}', not for '${given}'.`,
  )
}

function variantFinding({ meaning, remedy, isOfSecret, line }: Variant): Finding {
  if (isOfSecret) return wrong('The secret is not exact', meaning, [remedy])
  return wrong('The signature is for another form', meaning, [
    ...(line
      ? [`Signed was the line ${line.signed || '(empty)'} and here it is ${line.here || '(empty)'}`]
      : []),
    remedy,
  ])
}

/** The title of the check that nothing came of. */
const unchecked = 'The signature is not checked'

async function signatureFinding(parts: SignedParts): Promise<Finding> {
  const { read, key, explanation, request } = parts
  if (read && read.algorithm !== computedAlgorithm) {
    return open(
      unchecked,
      `Its algorithm is ${read.algorithm}; only ${computedAlgorithm} is computed here.`,
    )
  }
  if (!read || key.secretAccessKey === '') {
    return open(unchecked, 'Without the secret key, every step but the last is shown.')
  }
  if (explanation.signature === read.signature) {
    return {
      outcome: 'right',
      verdict: undefined,
      title: 'The signature is right',
      meaning: 'This key gives the signature of the request, for the request as it stands here.',
      remarks: [],
    }
  }
  if (isBodyMissing(parts)) {
    return open(unchecked, 'The body is not known, and with it the payload hash.')
  }
  const variant = await findVariant(parts)
  if (variant) return variantFinding(variant)
  if (request.isUrlAlone === true && read.missingHeaders.length > 0) {
    return open(unchecked, `The values of ${read.missingHeaders.join(', ')} are not known.`)
  }
  return wrong('The signature is wrong', 'This key does not give the signature of the request.', [
    'Either the secret is another one (a space, a quote or a line break was copied along, or it belongs to another key), or a signed part was changed since: method, path, query, a signed header or the payload hash.',
    'The usual changes were tried, and none gives it: other encodings of path and query, another order of the query, the host with and without its port, other methods.',
  ])
}
