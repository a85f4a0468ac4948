import { emptyPayloadHash } from './payload-markers.ts'
import { findVariant } from './find-variant.ts'
import type { Finding } from './inspection.ts'
import type { SignedParts } from './signed-parts.ts'
import { headerOf } from '../input/pasted-request.ts'

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
  const findings: Finding[] = []
  if (read.problems.length > 0) {
    findings.push(
      wrong('The signature is malformed', read.problems[0] ?? '', read.problems.slice(1)),
    )
  }
  if (read.missingHeaders.length > 0) {
    const names = read.missingHeaders.join(', ')
    findings.push(
      wrong(
        'A signed header is missing',
        `The request lists ${names} as signed, but does not have ${read.missingHeaders.length > 1 ? 'them' : 'it'}.`,
        ['Whatever sent or recorded the request left it out; it is signed here as empty.'],
      ),
    )
  }
  const body = bodyFinding(parts, hash)
  if (body && verdict !== 'payload') findings.push(body)
  const keyFinding = otherKey(parts)
  if (keyFinding) findings.push(keyFinding)
  findings.push(await signatureFinding(parts))
  return findings
}

function unsigned({ request, key }: SignedParts): Finding {
  const authorization = headerOf(request.headers, 'authorization') ?? ''
  const [scheme = ''] = authorization.split(' ', 1)
  const isOther = /^(?:AWS|Basic|Bearer|Digest)$/i.test(scheme)
  return {
    outcome: 'open',
    verdict: undefined,
    title: 'The request is not signed',
    meaning: isOther
      ? `Its Authorization header is of the scheme ${scheme}, not a signature of version 4.`
      : 'It bears no signature of version 4.',
    remarks: [
      'It is shown as these packages would sign it now.',
      ...(key.secretAccessKey === '' ? ['Without a secret key, there is no signature.'] : []),
      ...(key.region === '' ? ['No region is given, so us-east-1 stands in its place.'] : []),
    ],
  }
}

function bodyFinding(
  { request, explanation }: SignedParts,
  hash: (bytes: Uint8Array) => string,
): Finding | undefined {
  const { payloadHash } = explanation
  if (!/^[\da-f]{64}$/.test(payloadHash) || request.isForm === true) return undefined
  if (!request.body) {
    return payloadHash === emptyPayloadHash
      ? undefined
      : open('The body is not checked', 'A body was signed, but none is given here.')
  }
  const actual = hash(request.body)
  if (actual === payloadHash) return undefined
  return wrong(
    'The body is not the one that was signed',
    `Its ${request.body.byteLength} bytes have the SHA-256 ${actual}, not ${payloadHash}.`,
    [
      'It was changed after it was signed, such as by line breaks that pasting or an editor changed.',
    ],
  )
}

function otherKey({ read, key, request }: SignedParts): Finding | undefined {
  if (read && key.accessKeyId !== '' && key.accessKeyId !== read.accessKeyId) {
    return wrong(
      'It is another key',
      `The request was signed with the access key ${read.accessKeyId}, not with ${key.accessKeyId}.`,
    )
  }
  const sent = headerOf(request.headers, 'x-amz-security-token')
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

async function signatureFinding(parts: SignedParts): Promise<Finding> {
  const { read, key, explanation, request } = parts
  if (!read || key.secretAccessKey === '') {
    return open(
      'The signature is not checked',
      'Without the secret key, every step but the last is shown.',
    )
  }
  if (request.isForm === true && explanation.payloadHash === emptyPayloadHash) {
    return open(
      'The signature is not checked',
      'The body is not known, and with it the payload hash.',
    )
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
  const variant = await findVariant(parts)
  if (variant) return wrong('The signature is for another form', variant.meaning, [variant.remedy])
  return wrong('The signature is wrong', 'This key does not give the signature of the request.', [
    'Either the secret is another one (a space, a quote or a line break was copied along, or it belongs to another key), or a signed part was changed since: method, path, query, a signed header or the payload hash.',
    'The usual changes were tried, and none gives it: other encodings of the path, another order of the query, the host with its port, other methods.',
  ])
}

function wrong(title: string, meaning: string, remarks: readonly string[] = []): Finding {
  return { outcome: 'wrong', verdict: undefined, title, meaning, remarks }
}

function open(title: string, meaning: string): Finding {
  return { outcome: 'open', verdict: undefined, title, meaning, remarks: [] }
}
