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
    nothingToCompare(server)
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
  if (local.unsent.length > 0) return unsentHeaders(local)
  return hasHash
    ? wrongSecret(server, local)
    : unknown('Everything that can be compared agrees, but the server shows no canonical request.')
}

function differingLines(
  verdict: Finding['verdict'],
  meaning: string,
  differences: readonly Difference[],
  server: ServerEvidence,
  local: LocalEvidence,
): Finding {
  return {
    verdict,
    meaning,
    differences: [...differences, ...keyDifference(server, local)],
    notes: signatureNote(server, local),
  }
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

// HEAD has no body, and proxies have bodies of their own.
function headFinding(server: ServerEvidence, local: LocalEvidence): Finding | undefined {
  if (server.code !== '' || ![301, 307, 400, 401, 403].includes(server.status)) return undefined
  return regionFinding(server, local) ?? overdueFinding(server, local)
}

function nothingToCompare({ status, code, message, isMismatch }: ServerEvidence): Finding {
  if (isMismatch) {
    return unknown(
      'The server shows neither its canonical request nor its string to sign, so there is nothing to compare.',
      ["explain(auth, …) shows ours; the server's log may show its own."],
    )
  }
  // Object stores check a signature before they look for the resource.
  if (status === 404 && code.startsWith('NoSuch')) {
    return unknown('The signature was accepted; there is nothing at this path.')
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
  const theirs = server.element('SignatureProvided')?.trim()
  const ours = local.signature
  const differences = keyDifference(server, local)
  if (theirs !== undefined && ours !== undefined && theirs !== ours) {
    const hint =
      'The request was signed with a different secret than the one in use here now: the credentials have changed since, or something else signed it.'
    differences.push({ line: 'signature', ours: shorten(ours), theirs: shorten(theirs), hint })
  }
  const notes = [
    'Usual causes: a secret that lost or gained characters when it was copied (spaces, a line break, a quote), the secret of another key, or the key of another environment.',
  ]
  if (server.stringToSign === undefined) {
    notes.push('The server shows no string to sign, so region and service are not compared.')
  }
  if (local.presigned && local.parts.signedHeaders !== 'host') {
    notes.push('Or one of the signed headers had a different value when the URL was presigned.')
  }
  if (local.unknown.size > 0) notes.push('What could not be compared may differ too.')
  return {
    verdict: 'secret-or-key',
    meaning: `All lines that the server shows agree, so the secret is not the one that the server has for ${local.accessKeyId}.`,
    differences,
    notes,
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
