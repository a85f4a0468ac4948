import type { Difference, Finding } from './diagnosis.ts'
import type { ErrorAnswer } from './error-answer.ts'
import type { OwnSignature } from './own-signature.ts'
import { shorten } from './redaction.ts'

/** What is left where every line agrees that the server shows. */
export function wrongSecret(answer: ErrorAnswer, own: OwnSignature): Finding {
  const provided = answer.element('SignatureProvided')?.trim()
  const differences = keyDifference(answer, own)
  if (provided !== undefined && own.signature !== undefined && provided !== own.signature) {
    differences.push({
      line: 'signature',
      ours: shorten(own.signature),
      theirs: shorten(provided),
      hint: 'The request was signed with another secret than the one that is in use here now: the credentials changed since, or something else signed it.',
    })
  }
  return {
    verdict: 'secret-or-key',
    meaning: `All lines that the server shows agree: the secret is not the one that the server has for ${own.accessKeyId}.`,
    differences,
    notes: [
      'Usual causes: a secret that lost or gained characters when it was copied (blanks, a line break, ' +
        'a quote), the secret of another key, or the key of another environment.',
      ...(answer.stringToSign === undefined
        ? ['The server shows no string to sign, so that region and service are not compared.']
        : []),
      ...(own.presigned && own.parts.signedHeaders !== 'host'
        ? ['Or a header that the URL signs had another value when the URL was presigned.']
        : []),
      ...(own.unknown.size > 0 ? ['What could not be compared may differ as well.'] : []),
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
    notes: ['It is misspelt, deleted, disabled, or the key of another environment.'],
  }
}

/** A session token that has ended, or is none. */
export function uselessToken({ code }: ErrorAnswer, own: OwnSignature): Finding {
  if (code === 'ExpiredToken') {
    return {
      verdict: 'secret-or-key',
      meaning: `The session token of ${own.accessKeyId} has ended: temporary credentials have to be fetched anew.`,
      notes: [
        'Give credentials as a function that says expiresAt, and they are renewed ahead of time.',
      ],
    }
  }
  return {
    verdict: 'secret-or-key',
    meaning: `The server does not take the session token of ${own.accessKeyId}, or misses one.`,
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
      hint: 'The request was signed with another access key than the one that is in use here now.',
    },
  ]
}
