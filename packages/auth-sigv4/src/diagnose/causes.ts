import { compareCanonicalRequests, compareStringsToSign, hashLine, payloadHint } from './compare.ts'
import type { Difference, Finding } from './diagnosis.ts'
import type { OwnSignature } from './own-evidence.ts'
import type { ErrorAnswer } from './server-evidence.ts'
import { formatDuration, parseInstant, shorten } from './text.ts'

/** Refusals that say themselves what is wrong. */
const findings: Readonly<
  Record<string, (answer: ErrorAnswer, own: OwnSignature) => Finding | undefined>
> = {
  AccessDenied: unsignedHeaders,
  AuthorizationHeaderMalformed: regionFinding,
  AuthorizationQueryParametersError: regionFinding,
  BadDigest: wrongDigest,
  ExpiredToken: uselessToken,
  InvalidAccessKeyId: unknownKey,
  InvalidClientTokenId: unknownKey,
  InvalidRegion: regionFinding,
  InvalidToken: uselessToken,
  PermanentRedirect: regionFinding,
  XAmzContentSHA256Mismatch: wrongPayloadHash,
}

/** What an answer says about a request, without a guess. */
export function findCause(answer: ErrorAnswer, own: OwnSignature): Finding {
  const { code, isSuccess } = answer
  if (isSuccess) return unknown('The server accepted the request, so there is nothing to diagnose.')
  if (isAboutTime(answer)) return clockFinding(answer, own)
  const named = Object.hasOwn(findings, code) ? findings[code]?.(answer, own) : undefined
  return named ?? compare(answer, own) ?? fromHead(answer, own) ?? nothingToCompare(answer)
}

function compare(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  const { canonical, stringToSign } = answer
  if (!canonical && stringToSign === undefined) return undefined
  const differences = canonical ? compareCanonicalRequests(own, canonical, answer.isExact) : []
  if (differences.length > 0) {
    return {
      verdict: 'canonical-request',
      meaning: 'The server computed a different canonical request.',
      differences: [...differences, ...keyDifference(answer, own)],
      notes: signatureNote(answer, own),
    }
  }
  return compareScopes(answer, own)
}

function compareScopes(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  const { canonical, stringToSign = own.stringToSign, code } = answer
  const differences = compareStringsToSign(own.stringToSign, stringToSign, canonical !== undefined)
  if (!differences) {
    return unknown('The string to sign that the server shows is invalid, and nothing else differs.')
  }
  if (!canonical && differences.some(({ line }) => line === hashLine)) {
    return {
      verdict: 'canonical-request',
      meaning: 'The server computed a different canonical request, but does not show it.',
      differences: [...differences, ...keyDifference(answer, own)],
      notes: signatureNote(answer, own),
    }
  }
  // A presigned URL has no hash of ours, nor has a request whose body was used.
  const hasHash = canonical !== undefined || !own.stringToSign.endsWith('\n')
  if (differences.length > 0) {
    return {
      verdict: 'string-to-sign',
      meaning: hasHash
        ? 'The canonical requests agree, but the strings to sign do not.'
        : 'The strings to sign differ.',
      differences: [...differences, ...keyDifference(answer, own)],
      notes: signatureNote(answer, own),
    }
  }
  // Other refusals may show the same evidence, and their reason is another one.
  if (code !== 'SignatureDoesNotMatch') return undefined
  if (own.unsent.length > 0) return unsentHeaders(own)
  if (!hasHash) {
    return unknown(
      'Everything that can be compared agrees, but the server shows no canonical request.',
    )
  }
  return wrongSecret(answer, own)
}

// Both sides lack them, and agree; whoever signed the URL had them.
function unsentHeaders({ unsent }: OwnSignature): Finding {
  return {
    verdict: 'canonical-request',
    meaning: 'The URL was signed with headers that the request does not send.',
    differences: unsent.map((name) => ({
      line: `header ${name}`,
      ours: '',
      theirs: '(signed, not sent)',
      hint: `Send ${name} with the value it had when the URL was presigned.`,
    })),
  }
}

function signatureNote({ element, signedAt }: ErrorAnswer, own: OwnSignature): string[] {
  const provided = element('SignatureProvided')?.trim()
  if (!provided || own.signature === undefined || signedAt === undefined) return []
  return [
    provided === own.signature
      ? 'The signature that arrived is the one computed here, so the difference arose on the way or in the server.'
      : 'The signature that arrived is not the one computed here, so the request or the key given here is not the one that was used.',
  ]
}

function unsignedHeaders({ element }: ErrorAnswer): Finding | undefined {
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
      hint: `${name} was added on the way; whatever adds it must leave it out, or use a name without x-amz-.`,
    })),
  }
}

// HEAD has no body, and proxies have bodies of their own.
function fromHead(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  if (answer.code !== '' || ![301, 307, 400, 401, 403].includes(answer.status)) return undefined
  return regionFinding(answer, own) ?? overdueFinding(answer, own)
}

function nothingToCompare({ code, message }: ErrorAnswer): Finding {
  if (code === 'SignatureDoesNotMatch') {
    return unknown(
      'The server shows neither its canonical request nor its string to sign, so there is nothing to compare.',
      ["auth.explain(…) shows ours; the server's log may show its own."],
    )
  }
  if (code === '') return unknown('The server does not say why it refused the request.')
  const said = message === '' ? [] : [`It says: ${message.slice(0, 300)}`]
  return unknown('This error says nothing about how the signature was computed.', said)
}

function unknown(meaning: string, notes: readonly string[] = []): Finding {
  return { verdict: 'unknown', meaning, notes }
}

/** What S3 and its kin allow, either way. */
const allowedMs = 15 * 60_000

const oldSignature =
  'The request was delayed after it was signed, an old signature was sent again, or the clock has been corrected since, which the scheme does by itself after a refusal.'

/** Whether a server says that the request came too late or too early. */
export function isAboutTime({ code, message }: ErrorAnswer): boolean {
  if (['RequestTimeTooSkewed', 'RequestExpired', 'ExpiredRequest'].includes(code)) return true
  return code === 'AccessDenied' && (isOver(message) || isAhead(message))
}

/** How far apart the clocks are, or how long ago a presigned URL has ended. */
export function clockFinding(answer: ErrorAnswer, own: OwnSignature): Finding {
  const { code, message, element } = answer
  const serverAt = parseInstant(element('ServerTime')) ?? answer.date
  const endsAt = parseInstant(element('Expires')) ?? own.presigned?.endsAt
  if (code !== 'RequestTimeTooSkewed' && !isAhead(message) && (endsAt || own.presigned)) {
    return expiredFinding(endsAt, serverAt)
  }
  const namedAt =
    parseInstant(element('RequestTime')) ??
    parseInstant(element('X-Amz-Date')) ??
    own.presigned?.signedAt
  return skewFinding(namedAt, ownDate(own), serverAt, readAllowedMs(element))
}

/** What the date of an answer without a word says: a clock so far off is refused by every server. */
export function overdueFinding(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  const { status, date } = answer
  const ours = ownDate(own)
  if (![400, 401, 403].includes(status) || date === undefined || ours === undefined)
    return undefined
  // A presigned URL is used long after it was signed.
  const { presigned } = own
  const lastAt = presigned ? (presigned.endsAt ?? Number.POSITIVE_INFINITY) : ours + allowedMs
  if (date >= ours - allowedMs && date <= lastAt) return undefined
  return presigned && date > ours
    ? expiredFinding(lastAt, date)
    : skewFinding(undefined, ours, date, allowedMs)
}

function skewFinding(
  namedAt: number | undefined,
  nowAt: number | undefined,
  serverAt: number | undefined,
  maxMs: number,
): Finding {
  const ours = namedAt ?? nowAt
  if (ours === undefined || serverAt === undefined) {
    return {
      verdict: 'clock',
      meaning: 'The clocks are too far apart, but the server does not say by how much.',
    }
  }
  const skewMs = serverAt - ours
  const isLate = skewMs > 0
  // The clock of this side may be right by now, or have been right all along.
  const isFineNow = nowAt !== undefined && Math.abs(serverAt - nowAt) <= maxMs
  if (isFineNow && namedAt === undefined) {
    return {
      verdict: 'clock',
      meaning: 'The request came too late or too early for the server, but the clocks agree now.',
      notes: [oldSignature],
    }
  }
  const distance = formatDuration(skewMs)
  return {
    verdict: 'clock',
    meaning: isFineNow
      ? `The request was signed ${distance} ${isLate ? 'before' : 'after'} the server's time.`
      : `This clock is ${distance} ${isLate ? 'behind' : 'ahead of'} the server's.`,
    differences: [
      {
        line: 'date',
        ours: new Date(ours).toISOString(),
        theirs: new Date(serverAt).toISOString(),
        hint: isFineNow
          ? `The two clocks agree now. ${oldSignature}`
          : `Set this machine's clock, or pass the clock option. The server allows ${formatDuration(maxMs)}.`,
      },
    ],
  }
}

function expiredFinding(endsAt: number | undefined, serverAt: number | undefined): Finding {
  const hint =
    'Presign a new one, or one that lasts longer (expiresInSeconds, up to 7 days); it also expires when its session token does.'
  if (endsAt === undefined || serverAt === undefined || serverAt < endsAt) {
    return { verdict: 'clock', meaning: 'The presigned URL has expired.', notes: [hint] }
  }
  return {
    verdict: 'clock',
    meaning: `The presigned URL expired ${formatDuration(serverAt - endsAt)} before the server's time.`,
    differences: [
      {
        line: 'expiry',
        ours: new Date(endsAt).toISOString(),
        theirs: new Date(serverAt).toISOString(),
        hint,
      },
    ],
  }
}

function ownDate(own: OwnSignature): number | undefined {
  return parseInstant(own.stringToSign.split('\n', 2)[1])
}

function readAllowedMs(element: ErrorAnswer['element']): number {
  const text = element('MaxAllowedSkewMilliseconds')?.trim() ?? ''
  return /^\d{1,12}$/.test(text) ? Number(text) : allowedMs
}

function isOver(message: string): boolean {
  return /request has expired/i.test(message)
}

function isAhead(message: string): boolean {
  return /request is not (?:yet valid|valid yet)/i.test(message)
}

/** What is left where every line agrees that the server shows. */
export function wrongSecret(answer: ErrorAnswer, own: OwnSignature): Finding {
  const provided = answer.element('SignatureProvided')?.trim()
  const differences = keyDifference(answer, own)
  if (provided !== undefined && own.signature !== undefined && provided !== own.signature) {
    differences.push({
      line: 'signature',
      ours: shorten(own.signature),
      theirs: shorten(provided),
      hint: 'The request was signed with a different secret than the one in use here now: the credentials have changed since, or something else signed it.',
    })
  }
  return {
    verdict: 'secret-or-key',
    meaning: `All lines that the server shows agree, so the secret is not the one that the server has for ${own.accessKeyId}.`,
    differences,
    notes: [
      'Usual causes: a secret that lost or gained characters when it was copied (spaces, a line break, ' +
        'a quote), the secret of another key, or the key of another environment.',
      ...(answer.stringToSign === undefined
        ? ['The server shows no string to sign, so region and service are not compared.']
        : []),
      ...(own.presigned && own.parts.signedHeaders !== 'host'
        ? ['Or one of the signed headers had a different value when the URL was presigned.']
        : []),
      ...(own.unknown.size > 0 ? ['What could not be compared may differ too.'] : []),
    ],
  }
}

/** A key that the server does not have. */
export function unknownKey(answer: ErrorAnswer, own: OwnSignature): Finding {
  const key = answer.element('AWSAccessKeyId')?.trim() || own.accessKeyId
  return {
    verdict: 'secret-or-key',
    meaning: `The server does not know the access key ${key}.`,
    differences: keyDifference(answer, own),
    notes: ['It is misspelled, deleted or disabled, or it is the key of another environment.'],
  }
}

/** A session token that has ended, or is none. */
export function uselessToken({ code }: ErrorAnswer, own: OwnSignature): Finding {
  if (code === 'ExpiredToken') {
    return {
      verdict: 'secret-or-key',
      meaning: `The session token of ${own.accessKeyId} has expired: get new temporary credentials.`,
      notes: [
        'Pass credentials as a function that returns expiresAt, and they are renewed ahead of time.',
      ],
    }
  }
  return {
    verdict: 'secret-or-key',
    meaning: `The server does not accept the session token of ${own.accessKeyId}, or expects one and got none.`,
    notes: [
      'Key, secret and session token belong together; a key that is not temporary has no token.',
    ],
  }
}

/** The access key, where the server was given another one. */
export function keyDifference({ element }: ErrorAnswer, own: OwnSignature): Difference[] {
  const theirs = element('AWSAccessKeyId')?.trim()
  if (!theirs || theirs === own.accessKeyId) return []
  return [
    {
      line: 'access key',
      ours: own.accessKeyId,
      theirs,
      hint: 'The request was signed with a different access key than the one in use here now.',
    },
  ]
}

/** A body that does not have the hash that was signed. */
export function wrongPayloadHash({ element }: ErrorAnswer, own: OwnSignature): Finding {
  const named = element('ClientComputedContentSHA256')?.trim()
  const theirs = element('S3ComputedContentSHA256')?.trim()
  const isKnown = !own.unknown.has('payload hash')
  const ours = named || (isKnown && own.parts.payloadHash)
  return {
    verdict: 'payload',
    meaning: 'The body that arrived is not the one whose hash was signed.',
    ...(ours &&
      theirs && {
        differences: [
          {
            line: 'payload hash',
            ours,
            theirs,
            hint: own.isHashGiven
              ? 'x-amz-content-sha256 was set on the request: it is not the hash of the body that was sent, or the body changed on the way.'
              : payloadHint(ours, theirs),
          },
        ],
      }),
    ...(isKnown &&
      ours !== own.parts.payloadHash && {
        notes: [
          'The hash that was signed is not that of the body given here: this is a different body.',
        ],
      }),
  }
}

/** A body that does not have the checksum that the request names. */
export function wrongDigest({ element }: ErrorAnswer): Finding {
  const [ours, theirs] = [element('ExpectedDigest')?.trim(), element('CalculatedDigest')?.trim()]
  return {
    verdict: 'payload',
    meaning: 'The body that arrived does not match the checksum in the request.',
    ...(ours &&
      theirs && {
        differences: [
          {
            line: 'digest',
            ours: asBase64(ours),
            theirs: asBase64(theirs),
            hint: 'The body changed on the way, or content-md5 (or a checksum header) was computed from bytes other than those sent.',
          },
        ],
      }),
  }
}

// S3 writes one of the two in hex; the header has base64.
function asBase64(digest: string): string {
  if (!/^[\da-f]{32}$/i.test(digest)) return digest
  return btoa(digest.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16))))
}

/** A region that the server names, or a service, where ours is another one. */
export function regionFinding(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  const { element, header, message } = answer
  const region =
    element('Region')?.trim() ||
    header('x-amz-bucket-region') ||
    (/region/i.test(message) && /expecting '([^']*)'/.exec(message)?.[1])
  if (region && region !== own.region) {
    return {
      verdict: 'region',
      meaning: `The server expects the region '${region}', but the request is signed for '${own.region}'.`,
      differences: [
        {
          line: 'region',
          ours: own.region,
          theirs: region,
          hint: `Use createSigV4Auth({ …, region: '${region}' }) for this server.`,
        },
      ],
    }
  }
  const service = /belongs to "([^"]*)"/.exec(message)?.[1]
  if (!service || service === own.service) return undefined
  return {
    verdict: 'string-to-sign',
    meaning: `The server's service is '${service}', but the request is signed for '${own.service}'.`,
    differences: [
      {
        line: 'service',
        ours: own.service,
        theirs: service,
        hint: `Use createSigV4Auth({ …, service: '${service}' }) for this server.`,
      },
    ],
  }
}
