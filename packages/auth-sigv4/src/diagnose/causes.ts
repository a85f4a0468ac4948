import { compareCanonicalRequests } from './compare.ts'
import { compareStringsToSign, hashLine } from './compare-strings-to-sign.ts'
import type { Finding } from './diagnosis.ts'
import type { ErrorAnswer } from './error-answer.ts'
import { clockFinding, isAboutTime, overdueFinding } from './find-clock.ts'
import { keyDifference, unknownKey, uselessToken, wrongSecret } from './find-key.ts'
import { wrongDigest, wrongPayloadHash } from './find-payload.ts'
import { regionFinding } from './find-region.ts'
import type { OwnSignature } from './own-evidence.ts'

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
