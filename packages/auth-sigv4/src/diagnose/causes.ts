import { clockFinding, isAboutTime, overdueFinding } from './clock-cause.ts'
import { compareCanonicalRequests, compareStringsToSign, hashLine, payloadHint } from './compare.ts'
import type { Difference, Finding } from './diagnosis.ts'
import type { LocalEvidence } from './local-evidence.ts'
import type { ServerEvidence } from './server-evidence.ts'
import { redact, shorten } from './text.ts'

/** Error codes that say themselves what is wrong. */
const findings: Readonly<
  Record<string, (server: ServerEvidence, local: LocalEvidence) => Finding | undefined>
> = {
  AccessDenied: unsignedHeaders,
  AuthorizationHeaderMalformed: regionFinding,
  AuthorizationQueryParametersError: regionFinding,
  BadDigest: wrongDigest,
  ExpiredToken: uselessToken,
  ExpiredTokenException: uselessToken,
  InvalidAccessKeyId: unknownKey,
  InvalidClientTokenId: unknownKey,
  UnrecognizedClientException: unknownKey,
  InvalidRegion: regionFinding,
  InvalidRequest: missingHeader,
  InvalidToken: uselessToken,
  PermanentRedirect: regionFinding,
  XAmzContentSHA256Mismatch: wrongPayloadHash,
}

/** Finds the cause that a server's response shows, without a guess. */
export function findCause(server: ServerEvidence, local: LocalEvidence): Finding {
  const { code, isSuccess } = server
  if (isSuccess) return unknown('The server accepted the request, so there is nothing to diagnose.')
  if (isAboutTime(server)) return clockFinding(server, local)
  const scope = scopeFinding(server, local)
  if (scope) return scope
  const named = Object.hasOwn(findings, code) ? findings[code]?.(server, local) : undefined
  return (
    named ??
    compareEvidence(server, local) ??
    headFinding(server, local) ??
    nothingToCompare(server)
  )
}

function compareEvidence(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const { canonical, stringToSign } = server
  if (!canonical && stringToSign === undefined) return undefined
  const differences = canonical ? compareCanonicalRequests(local, canonical, server.isExact) : []
  if (differences.length > 0) {
    return {
      verdict: 'canonical-request',
      meaning: 'The server computed a different canonical request.',
      differences: [...differences, ...keyDifference(server, local)],
      notes: signatureNote(server, local),
    }
  }
  return compareScopes(server, local)
}

function compareScopes(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const { canonical, stringToSign = local.stringToSign, isMismatch } = server
  const differences = compareStringsToSign(
    local.stringToSign,
    stringToSign,
    canonical !== undefined,
  )
  if (!differences) {
    return unknown('The string to sign that the server shows is invalid, and nothing else differs.')
  }
  if (!canonical && differences.some(({ line }) => line === hashLine)) {
    return {
      verdict: 'canonical-request',
      meaning: 'The server computed a different canonical request, but does not show it.',
      differences: [...differences, ...keyDifference(server, local)],
      notes: signatureNote(server, local),
    }
  }
  // A presigned URL has no hash of ours, nor has a request whose body was used.
  const hasHash = canonical !== undefined || !local.stringToSign.endsWith('\n')
  if (differences.length > 0) {
    return {
      verdict: 'string-to-sign',
      meaning: hasHash
        ? 'The canonical requests agree, but the strings to sign do not.'
        : 'The strings to sign differ.',
      differences: [...differences, ...keyDifference(server, local)],
      notes: signatureNote(server, local),
    }
  }
  // Other refusals may show the same evidence, and their reason is another one.
  if (!isMismatch) return undefined
  if (local.unsent.length > 0) return unsentHeaders(local)
  if (!hasHash) {
    return unknown(
      'Everything that can be compared agrees, but the server shows no canonical request.',
    )
  }
  return wrongSecret(server, local)
}

// Both sides lack them, and agree; whoever signed the URL had them.
function unsentHeaders({ unsent, presigned }: LocalEvidence): Finding {
  const what = presigned ? 'URL' : 'request'
  return {
    verdict: 'canonical-request',
    meaning: `The ${what} was signed with headers that ${presigned ? 'the request does not send' : 'it does not have'}.`,
    differences: unsent.map((name) => ({
      line: `header ${name}`,
      ours: '',
      theirs: '(signed, not sent)',
      hint: `Send ${name} with the value it had when the ${what} was signed.`,
    })),
  }
}

function signatureNote({ element, signedAt }: ServerEvidence, local: LocalEvidence): string[] {
  const provided = element('SignatureProvided')?.trim()
  if (!provided || signedAt === undefined) return []
  if (local.borne !== undefined && provided !== local.borne) {
    return ['The signature that arrived is not the one of this request: another one was refused.']
  }
  if (local.signature === undefined) return []
  return [
    provided === local.signature
      ? 'The signature that arrived is the one computed here, so the difference arose on the way or in the server.'
      : 'The signature that arrived is not the one computed here, so the request or the key given here is not the one that was used.',
  ]
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
      hint: `${name} was added on the way; whatever adds it must leave it out, or use a name without x-amz-.`,
    })),
  }
}

/** A header without which the server reads no signature. */
function missingHeader({ message }: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const name = /missing required header[^:]*: *([\w-]+)/i.exec(message)?.[1]?.toLowerCase()
  if (name === undefined) return undefined
  return {
    verdict: 'canonical-request',
    meaning: `The server wants the header ${name}, which did not arrive.`,
    differences: [
      {
        line: `header ${name}`,
        ours: redact(name, local.parts.headers.get(name) ?? ''),
        theirs: '(required)',
        hint: `Send and sign ${name}; if it was sent, something on the way drops it.`,
      },
    ],
  }
}

// HEAD has no body, and proxies have bodies of their own.
function headFinding(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  if (server.code !== '' || ![301, 307, 400, 401, 403].includes(server.status)) return undefined
  return regionFinding(server, local) ?? overdueFinding(server, local)
}

function nothingToCompare({ code, message, isMismatch }: ServerEvidence): Finding {
  if (isMismatch) {
    return unknown(
      'The server shows neither its canonical request nor its string to sign, so there is nothing to compare.',
      ["explain(auth, …) shows ours; the server's log may show its own."],
    )
  }
  return unknown(
    code === '' && message === ''
      ? 'The server does not say why it refused the request.'
      : 'This error says nothing about how the signature was computed.',
  )
}

function unknown(meaning: string, notes: readonly string[] = []): Finding {
  return { verdict: 'unknown', meaning, notes }
}

/** The cause that is left where all lines agree that the server shows. */
function wrongSecret(server: ServerEvidence, local: LocalEvidence): Finding {
  if (local.borne !== undefined && local.borne !== local.signature) return foreignSignature(local)
  const provided = server.element('SignatureProvided')?.trim()
  const differences = keyDifference(server, local)
  if (provided !== undefined && local.signature !== undefined && provided !== local.signature) {
    differences.push({
      line: 'signature',
      ours: shorten(local.signature),
      theirs: shorten(provided),
      hint: 'The request was signed with a different secret than the one in use here now: the credentials have changed since, or something else signed it.',
    })
  }
  return {
    verdict: 'secret-or-key',
    meaning: `All lines that the server shows agree, so the secret is not the one that the server has for ${local.accessKeyId}.`,
    differences,
    notes: [
      'Usual causes: a secret that lost or gained characters when it was copied (spaces, a line break, ' +
        'a quote), the secret of another key, or the key of another environment.',
      ...(server.stringToSign === undefined
        ? ['The server shows no string to sign, so region and service are not compared.']
        : []),
      ...(local.presigned && local.parts.signedHeaders !== 'host'
        ? ['Or one of the signed headers had a different value when the URL was presigned.']
        : []),
      ...(local.unknown.size > 0 ? ['What could not be compared may differ too.'] : []),
    ],
  }
}

/** A signature that somebody else made, perhaps for another form of the request, on which both sides agree. */
function foreignSignature({ accessKeyId, signature }: LocalEvidence): Finding {
  if (signature === undefined) {
    return unknown(
      `All lines that the server shows agree with this request: either the secret is not the one that the server has for ${accessKeyId}, or whoever signed it signed another form of it.`,
      ['The secret key tells which of the two: with it, the signature is computed anew.'],
    )
  }
  return unknown(
    `All lines that the server shows agree with this request, but this secret does not give the signature of the request: either it is not the secret of ${accessKeyId}, or whoever signed the request signed another form of it.`,
    [
      'Usual causes: a path or a query that the signer encodes or sorts in another way, a host or a header that was changed before the request was recorded, a secret that lost or gained characters.',
    ],
  )
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

/** A session token that has ended, or is none. */
function uselessToken({ code }: ServerEvidence, local: LocalEvidence): Finding {
  if (code.startsWith('ExpiredToken')) {
    return {
      verdict: 'secret-or-key',
      meaning: `The session token of ${local.accessKeyId} has expired: get new temporary credentials.`,
      notes: [
        'Pass credentials as a function that returns expiresAt, and they are renewed ahead of time.',
      ],
    }
  }
  return {
    verdict: 'secret-or-key',
    meaning: `The server does not accept the session token of ${local.accessKeyId}, or expects one and got none.`,
    notes: [
      'Key, secret and session token belong together; a key that is not temporary has no token.',
    ],
  }
}

/** The access key, where the server was given another one. */
function keyDifference({ element }: ServerEvidence, local: LocalEvidence): Difference[] {
  const actual = element('AWSAccessKeyId')?.trim()
  if (!actual || actual === local.accessKeyId) return []
  return [
    {
      line: 'access key',
      ours: local.accessKeyId,
      theirs: actual,
      hint: 'The request was signed with a different access key than the one in use here now.',
    },
  ]
}

/** A body that does not have the hash that was signed. */
function wrongPayloadHash({ element }: ServerEvidence, local: LocalEvidence): Finding {
  const named = element('ClientComputedContentSHA256')?.trim()
  const actual = element('S3ComputedContentSHA256')?.trim()
  const isKnown = !local.unknown.has('payload hash')
  const expected = named || (isKnown && local.parts.payloadHash)
  return {
    verdict: 'payload',
    meaning: 'The body that arrived is not the one whose hash was signed.',
    ...(expected &&
      actual && {
        differences: [
          {
            line: 'payload hash',
            ours: expected,
            theirs: actual,
            hint: local.isHashGiven
              ? 'x-amz-content-sha256 was set on the request: it is not the hash of the body that was sent, or the body changed on the way.'
              : payloadHint(expected, actual),
          },
        ],
      }),
    ...(isKnown &&
      expected !== local.parts.payloadHash && {
        notes: [
          'The hash that was signed is not that of the body given here: this is a different body.',
        ],
      }),
  }
}

/** A body that does not have the checksum that the request names. */
function wrongDigest({ element }: ServerEvidence): Finding {
  const expected = element('ExpectedDigest')?.trim()
  const actual = element('CalculatedDigest')?.trim()
  return {
    verdict: 'payload',
    meaning: 'The body that arrived does not match the checksum in the request.',
    ...(expected &&
      actual && {
        differences: [
          {
            line: 'digest',
            ours: asBase64(expected),
            theirs: asBase64(actual),
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

/** A region or a service that services of AWS but S3 reject, in words that name only one side. */
function scopeFinding({ message }: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const [, region] = /scoped to a valid region, not '([^']{1,60})'/i.exec(message) ?? []
  if (region !== undefined) {
    return {
      verdict: 'region',
      meaning: `The request is signed for the region '${region}', which is none of this server.`,
      notes: [
        'The region is usually a part of the host name, such as in es.eu-west-1.amazonaws.com.',
      ],
    }
  }
  const [, service] = /scoped to (?:the )?correct service: '([^']{1,60})'/i.exec(message) ?? []
  return service === undefined ? undefined : serviceFinding(service, local)
}

/** A region that the server names, or a service, where ours is another one. */
function regionFinding(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const { element, header, message } = server
  const region =
    element('Region')?.trim() ||
    header('x-amz-bucket-region') ||
    (/region/i.test(message) && /expecting '([^']*)'/.exec(message)?.[1])
  if (region && region !== local.region) {
    return {
      verdict: 'region',
      meaning: `The server expects the region '${region}', but the request is signed for '${local.region}'.`,
      differences: [
        {
          line: 'region',
          ours: local.region,
          theirs: region,
          hint: `Sign for the region '${region}': createSigV4Auth({ …, region: '${region}' }).`,
        },
      ],
    }
  }
  const [, signed] = server.stringToSign?.split('\n', 3)[2]?.split('/') ?? []
  if (region && signed && signed !== region) {
    return {
      verdict: 'region',
      meaning: `The request that was refused was signed for the region '${signed}', and the server expects '${region}', which is the one given here.`,
      differences: [
        {
          line: 'region',
          ours: region,
          theirs: signed,
          hint: 'The request was sent with another region than the one given here.',
        },
      ],
    }
  }
  const service = /belongs to "([^"]*)"/.exec(message)?.[1]
  return service ? serviceFinding(service, local) : undefined
}

/** The service that the server names, where ours is another one. */
function serviceFinding(service: string, local: LocalEvidence): Finding | undefined {
  if (service === local.service) return undefined
  return {
    verdict: 'string-to-sign',
    meaning: `The server's service is '${service}', but the request is signed for '${local.service}'.`,
    differences: [
      {
        line: 'service',
        ours: local.service,
        theirs: service,
        hint: `Sign for the service '${service}': createSigV4Auth({ …, service: '${service}' }).`,
      },
    ],
  }
}
