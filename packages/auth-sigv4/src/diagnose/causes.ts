import { isAboutTime, clockFinding, overdueFinding } from './clock-cause.ts'
import { compareCanonicalRequests, compareStringsToSign, hashLine } from './compare.ts'
import type { Difference, Finding } from './diagnosis.ts'
import { codeFinding, keyDifference, regionFinding, scopeFinding } from './error-codes.ts'
import type { LocalEvidence } from './local-evidence.ts'
import type { ServerEvidence } from './server-evidence.ts'
import { shorten } from './text.ts'

/** Finds the cause that a server's response shows, without a guess. */
export function findCause(server: ServerEvidence, local: LocalEvidence): Finding {
  if (server.isSuccess) {
    return unknown('The server accepted the request, so there is nothing to diagnose.')
  }
  if (isAboutTime(server)) return clockFinding(server, local)
  return (
    scopeFinding(server, local) ??
    codeFinding(server, local) ??
    compareEvidence(server, local) ??
    headFinding(server, local) ??
    nothingToCompare(server, local)
  )
}

function compareEvidence(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const { canonical, stringToSign, isExact } = server
  if (!canonical && stringToSign === undefined) return undefined
  const differences = canonical ? compareCanonicalRequests(local, canonical, isExact) : []
  if (differences.length === 0) return compareScopes(server, local)
  const meaning = 'The server computed a different canonical request.'
  return differingLines('canonical-request', meaning, differences, server, local)
}

function compareScopes(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  const { canonical, stringToSign = local.stringToSign, isMismatch } = server
  const isShown = canonical !== undefined
  const differences = compareStringsToSign(local.stringToSign, stringToSign, isShown)
  if (!differences) {
    return unknown('The string to sign that the server shows is invalid, and nothing else differs.')
  }
  if (!isShown && differences.some(({ line }) => line === hashLine)) {
    const meaning = 'The server computed a different canonical request, but does not show it.'
    return differingLines('canonical-request', meaning, differences, server, local)
  }
  // A presigned URL has no hash of ours, nor has a request whose body was used.
  const hasHash = isShown || !local.stringToSign.endsWith('\n')
  if (differences.length > 0) {
    const meaning = hasHash
      ? 'The canonical requests agree, but the strings to sign do not.'
      : 'The strings to sign differ.'
    return differingLines('string-to-sign', meaning, differences, server, local)
  }
  // Other refusals may show the same evidence, and their reason is another one.
  if (!isMismatch) return undefined
  return (
    changedRequest(local) ??
    (hasHash ? wrongSecret(server, local) : unknown('Everything that can be compared agrees.'))
  )
}

function differingLines(
  verdict: Finding['verdict'],
  meaning: string,
  differences: readonly Difference[],
  server: ServerEvidence,
  local: LocalEvidence,
): Finding {
  const [note, isOther] = signatureNote(server, local)
  const notes = note === undefined ? [] : [`The signature that arrived is ${note}`]
  return {
    verdict,
    // The lines of another request than the one that was sent tell little.
    meaning: isOther ? `${notes[0]} ${meaning}` : meaning,
    differences: [...differences, ...keyDifference(server, local)],
    notes: isOther ? [] : notes,
  }
}

/** Finds by the signature of a request itself that it is not the one that was signed, whatever the server shows. */
function changedRequest(local: LocalEvidence): Finding | undefined {
  const { borne, isRead, signature, unsent } = local
  if (unsent.length > 0) return unsentHeaders(local)
  const isPresigned = !isRead && borne !== undefined && signature !== undefined
  if (!isPresigned || borne === signature) return undefined
  return {
    verdict: 'canonical-request',
    meaning:
      'This is not the URL that was presigned: it was changed, or sent with another method or without a signed header. Presign it again.',
  }
}

// Both sides lack them, and agree; the signer had them.
function unsentHeaders({ unsent, presigned }: LocalEvidence): Finding {
  const what = presigned ? 'URL' : 'request'
  return {
    verdict: 'canonical-request',
    meaning: `The ${what} was signed with headers that the request does not send.`,
    differences: unsent.map((name) => ({
      line: `header ${name}`,
      ours: '',
      theirs: '(signed, not sent)',
      hint: `Send ${name} with the value it had when the ${what} was signed.`,
    })),
  }
}

/** Says what the signature that arrived is, and if it is that of another request than the one given here. */
function signatureNote(
  { element, signedAt }: ServerEvidence,
  { borne, signature }: LocalEvidence,
): readonly [note?: string, isOther?: boolean] {
  const provided = element('SignatureProvided')?.trim()
  if (!provided || signedAt === undefined) return []
  const isBorne = borne === undefined || provided === borne
  if (!isBorne) return ['not the one of this request: another one was refused.', true]
  if (signature === undefined) return []
  if (provided === signature) {
    return ['the one computed here, so the difference arose on the way or in the server.']
  }
  const other =
    'not the one computed here, so the request or the key given here is not the one that was used.'
  return [other, true]
}

// HEAD has no body, and proxies have bodies of their own.
function headFinding(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  if (server.code !== '' || ![301, 307, 400, 401, 403].includes(server.status)) return undefined
  return regionFinding(server, local) ?? overdueFinding(server, local) ?? changedRequest(local)
}

function nothingToCompare(server: ServerEvidence, local: LocalEvidence): Finding {
  const { status, code, message, isMismatch } = server
  if (isMismatch) {
    return (
      changedRequest(local) ??
      unknown(
        'The server shows neither its canonical request nor its string to sign. The likeliest cause is a wrong secret.',
        ['`svc-auth diagnose --probe` tries the usual causes; explain(auth, …) shows ours.'],
      )
    )
  }
  // Object stores check a signature before they look for the resource.
  if (status === 404 && code.startsWith('NoSuch')) {
    return unknown('The signature was accepted; there is nothing at this path.')
  }
  return (
    // Ceph says no more of a link that has expired than of a right that lacks.
    overdueFinding(server, local) ??
    unknown(
      code === '' && message === ''
        ? 'The server does not say why it refused the request.'
        : 'This error does not say how the signature was computed.',
    )
  )
}

function unknown(meaning: string, notes: readonly string[] = []): Finding {
  return { verdict: 'unknown', meaning, notes }
}

const otherSecret = ', but this secret does not give the signature of the request'
const usualCauses =
  'Usual causes: a secret that lost or gained characters when it was copied (spaces, a line break, a quote), the secret of another key, or the key of another environment.'

/** The cause that is left where all lines agree that the server shows. */
function wrongSecret(server: ServerEvidence, local: LocalEvidence): Finding {
  if (local.borne !== undefined && local.borne !== local.signature) return foreignSignature(local)
  const theirs = server.element('SignatureProvided')?.trim()
  const ours = local.signature
  const differences = keyDifference(server, local)
  const isOther = theirs !== undefined && ours !== undefined && theirs !== ours
  if (isOther) {
    const hint =
      'The request was changed after it was signed, or signed with a different secret than the one in use here now: the credentials have changed since, or something else signed it.'
    differences.push({ line: 'signature', ours: shorten(ours), theirs: shorten(theirs), hint })
  }
  const notes = isOther ? [] : [usualCauses]
  if (server.stringToSign === undefined) {
    notes.push('The server shows no string to sign, so region and service are not compared.')
  }
  if (local.unknown.size > 0) notes.push('What could not be compared may differ too.')
  return {
    verdict: 'secret-or-key',
    meaning: isOther
      ? `All lines that the server shows agree${otherSecret}: another one signed it, or it was changed.`
      : `All lines that the server shows agree, so the secret is not the one that the server has for ${local.accessKeyId}.`,
    differences,
    notes,
  }
}

/** A signature that somebody else made, perhaps for another form of the request, on which both sides agree. */
function foreignSignature({ accessKeyId, signature }: LocalEvidence): Finding {
  const known = signature === undefined ? '' : otherSecret
  return unknown(
    `All lines that the server shows agree with this request${known}: either the secret is not the one that the server has for ${accessKeyId}, or the request is not as it was signed.`,
    [
      'Usual causes: a path or a query that the signer writes in another way, or a host or a header that was changed.',
    ],
  )
}
