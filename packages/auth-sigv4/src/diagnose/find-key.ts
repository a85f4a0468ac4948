import type { Difference, Finding } from './diagnosis.ts'
import type { ErrorAnswer } from './error-answer.ts'
import type { OwnSignature } from './own-evidence.ts'
import { shorten } from './text.ts'

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
