import { payloadHint } from './compare.ts'
import type { Difference, Finding } from './diagnosis.ts'
import type { LocalEvidence } from './local-evidence.ts'
import type { ServerEvidence } from './server-evidence.ts'
import { hexBytes, redact } from './text.ts'

type FindCause = (server: ServerEvidence, local: LocalEvidence) => Finding | undefined

/** Error codes that say themselves what is wrong. */
const causesByCode: ReadonlyMap<string, FindCause> = new Map(
  Object.entries({
    AccessDenied: unsignedHeaders,
    AuthorizationHeaderMalformed: regionFinding,
    AuthorizationQueryParametersError: regionFinding,
    BadDigest: wrongDigest,
    ExpiredToken: expiredToken,
    ExpiredTokenException: expiredToken,
    InvalidAccessKeyId: unknownKey,
    InvalidClientTokenId: unknownKey,
    UnrecognizedClientException: unknownKey,
    InvalidRegion: regionFinding,
    InvalidRequest: missingHeader,
    InvalidToken: uselessToken,
    PermanentRedirect: regionFinding,
    XAmzContentSHA256Mismatch: wrongPayloadHash,
  }),
)

/** Finds the cause that the code of an error names; `undefined` where it names none. */
export function codeFinding(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  return causesByCode.get(server.code)?.(server, local)
}

function unsignedHeaders({ element }: ServerEvidence): Finding | undefined {
  const names = (element('HeadersNotSigned') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  if (names.length === 0) return undefined
  return {
    verdict: 'canonical-request',
    meaning: 'The request arrived with headers that must be signed but are not.',
    differences: names.map((name) => ({
      line: `header ${name}`,
      ours: '',
      theirs: '(present, not signed)',
      hint: `${name} was added on the way; whatever adds it must leave it out.`,
    })),
  }
}

/** A header without which the server reads no signature. */
function missingHeader({ message }: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const name = /missing required header[^:]*: *([\w-]+)/i.exec(message)?.[1]?.toLowerCase()
  if (name === undefined) return undefined
  const ours = redact(name, local.parts.headers.get(name) ?? '')
  const isUnsent = name === 'x-amz-content-sha256' && ours === ''
  const hint = isUnsent
    ? `It is sent for an object store alone, and the request is signed for the service '${local.service}': give the option service: 's3', also for MinIO, Ceph and the like.`
    : `Send and sign ${name}; if it was sent, something on the way drops it.`
  return {
    verdict: 'canonical-request',
    meaning: `The server wants the header ${name}, which did not arrive.`,
    differences: [{ line: `header ${name}`, ours, theirs: '(required)', hint }],
  }
}

/** A key that the server does not have. */
function unknownKey(server: ServerEvidence, local: LocalEvidence): Finding {
  const key = server.element('AWSAccessKeyId')?.trim() || local.accessKeyId
  return {
    verdict: 'secret-or-key',
    meaning: `The server does not know the access key ${key}.`,
    differences: keyDifference(server, local),
    notes: ['It is misspelled, deleted or disabled, or it is the key of another environment.'],
  }
}

function expiredToken(_server: ServerEvidence, { accessKeyId }: LocalEvidence): Finding {
  return keyFinding(
    `The session token of ${accessKeyId} has expired: get new temporary credentials.`,
    'Pass credentials as a function that returns expiresAt, and they are renewed ahead of time.',
  )
}

function uselessToken(_server: ServerEvidence, { accessKeyId }: LocalEvidence): Finding {
  return keyFinding(
    `The server does not accept the session token of ${accessKeyId}, or expects one and got none.`,
    'Key, secret and session token belong together; a key that is not temporary has no token.',
  )
}

function keyFinding(meaning: string, note: string): Finding {
  return { verdict: 'secret-or-key', meaning, notes: [note] }
}

/** The access key, where the server was given another one. */
export function keyDifference({ element }: ServerEvidence, local: LocalEvidence): Difference[] {
  const theirs = element('AWSAccessKeyId')?.trim()
  const ours = local.accessKeyId
  if (!theirs || theirs === ours) return []
  const hint = 'The request was signed with a different access key than the one in use here now.'
  return [{ line: 'access key', ours, theirs, hint }]
}

/** A body that does not have the hash that was signed. */
function wrongPayloadHash({ element }: ServerEvidence, local: LocalEvidence): Finding {
  const named = element('ClientComputedContentSHA256')?.trim()
  const theirs = element('S3ComputedContentSHA256')?.trim()
  const isKnown = !local.unknown.has('payload hash')
  const ours = named || (isKnown && local.parts.payloadHash)
  const differences: Difference[] = []
  if (ours && theirs) {
    const hint = local.isHashGiven
      ? 'x-amz-content-sha256 was set on the request: it is not the hash of the body that was sent, or the body changed on the way.'
      : payloadHint(ours, theirs)
    differences.push({ line: 'payload hash', ours, theirs, hint })
  }
  const isOther = isKnown && ours !== local.parts.payloadHash
  const note = 'The hash that was signed is not that of the body given here.'
  return {
    verdict: 'payload',
    meaning: 'The body that arrived is not the one whose hash was signed.',
    differences,
    notes: isOther ? [note] : [],
  }
}

/** A body that does not have the checksum that the request names. */
function wrongDigest({ element }: ServerEvidence): Finding {
  const ours = asBase64(element('ExpectedDigest'))
  const theirs = asBase64(element('CalculatedDigest'))
  const hint = 'The body changed on the way, or content-md5 is that of other bytes.'
  return {
    verdict: 'payload',
    meaning: 'The body that arrived does not match the checksum in the request.',
    differences: ours && theirs ? [{ line: 'digest', ours, theirs, hint }] : [],
  }
}

// S3 writes one of the two in hex; the header has base64.
function asBase64(given = ''): string {
  const digest = given.trim()
  return /^[\da-f]{32}$/i.test(digest) ? btoa(hexBytes(digest) ?? '') : digest
}

/** A region or a service that services of AWS but S3 reject, in words that name only one side. */
export function scopeFinding(
  { message }: ServerEvidence,
  local: LocalEvidence,
): Finding | undefined {
  const [, region] = /scoped to a valid region, not '([^']{1,60})'/i.exec(message) ?? []
  if (region !== undefined) {
    return {
      verdict: 'region',
      meaning: `The request is signed for the region '${region}', which is none of this server.`,
      notes: ['It is usually in the host name, as in es.eu-west-1.amazonaws.com.'],
    }
  }
  const [, service] = /scoped to (?:the )?correct service: '([^']{1,60})'/i.exec(message) ?? []
  return serviceFinding(service, local)
}

/** A region that the server names, or a service, where ours is another one. */
export function regionFinding(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const { element, header, message } = server
  const region =
    element('Region')?.trim() ||
    header('x-amz-bucket-region') ||
    (/region/i.test(message) && /expecting '([^']*)'/.exec(message)?.[1])
  const ours = local.region
  if (region && region !== ours) {
    const meaning = `The server expects the region '${region}', but the request is signed for '${ours}'.`
    const hint = `Sign for the region '${region}': give the option region: '${region}'.`
    const difference = { line: 'region', ours, theirs: region, hint }
    return { verdict: 'region', meaning, differences: [difference] }
  }
  const [, signed] = server.stringToSign?.split('\n', 3)[2]?.split('/') ?? []
  if (region && signed && signed !== region) {
    const meaning = `The request that was refused was signed for the region '${signed}', and the server expects '${region}', which is the one given here.`
    const hint = 'The request was sent with another region than the one given here.'
    const difference = { line: 'region', ours: region, theirs: signed, hint }
    return { verdict: 'region', meaning, differences: [difference] }
  }
  return serviceFinding(/belongs to "([^"]*)"/.exec(message)?.[1], local)
}

/** The service that the server names, where ours is another one. */
function serviceFinding(theirs: string | undefined, local: LocalEvidence): Finding | undefined {
  const ours = local.service
  if (!theirs || theirs === ours) return undefined
  const hint = `Sign for the service '${theirs}': give the option service: '${theirs}'.`
  return {
    verdict: 'string-to-sign',
    meaning: `The server's service is '${theirs}', but the request is signed for '${ours}'.`,
    differences: [{ line: 'service', ours, theirs, hint }],
  }
}
