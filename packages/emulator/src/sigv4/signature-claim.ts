import type { CredentialScope } from './credential-scope.ts'
import { refuse, type Refused } from './result.ts'

/**
 * What a request says about its own signature, well formed and not yet believed. The header form
 * and the query form both come down to this.
 */
export interface SignatureClaim {
  readonly ok: true
  readonly form: ClaimForm
  readonly accessKeyId: string
  readonly scope: CredentialScope
  /** The instant of the signature, as it stands on the wire. */
  readonly amzDate: string
  readonly signedAt: number
  /** How long a presigned URL is good for. */
  readonly expiresSeconds?: number
  readonly signedHeaders: readonly string[]
  readonly signature: string
  /** Empty where there is none. */
  readonly securityToken: string
  /** The last line of the canonical request. */
  readonly payloadHash: string
}

/** Where a signature stands: in the `Authorization` header, or in the query of a presigned URL. */
export type ClaimForm = 'header' | 'query'

/** The refusal of a credential, in the words that S3 has for each form. */
export function refuseCredential(
  form: ClaimForm,
  reason: string,
  details: Refused['details'] = [],
): Refused {
  return form === 'header'
    ? refuse(
        'AuthorizationHeaderMalformed',
        `The authorization header is malformed; ${reason}`,
        details,
      )
    : refuse(
        'AuthorizationQueryParametersError',
        `Error parsing the X-Amz-Credential parameter; ${reason}`,
        details,
      )
}

/** The claimed credential and scope, in the form `<access key>/<date>/<region>/<service>/aws4_request`. */
export function readCredential(
  form: ClaimForm,
  credential: string,
): { readonly ok: true; readonly accessKeyId: string; readonly scope: CredentialScope } | Refused {
  const [accessKeyId, date, region, service, terminator, ...rest] = credential.split('/')
  if (!accessKeyId || !date || !region || !service || !terminator || rest.length > 0) {
    return refuseCredential(
      form,
      'the Credential is mal-formed; expecting "<access key>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    )
  }
  if (!/^\d{8}$/.test(date)) {
    return refuseCredential(
      form,
      `incorrect date format "${date}". This date in the credential must be in the format "yyyyMMdd".`,
    )
  }
  if (terminator !== 'aws4_request') {
    return refuseCredential(
      form,
      `incorrect terminal "${terminator}". This endpoint uses "aws4_request".`,
    )
  }
  return { ok: true, accessKeyId, scope: { date, region, service } }
}

/** The names of the signed headers, or why they are none. */
export function readSignedHeaders(
  text: string,
):
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly reason: string } {
  const names = text.split(';')
  if (!names.every((name) => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))) {
    return {
      ok: false,
      reason: 'the SignedHeaders must be header names in lower case, separated by ";".',
    }
  }
  if (names.some((name, index) => index > 0 && name <= (names[index - 1] ?? ''))) {
    return { ok: false, reason: 'the SignedHeaders must be sorted and name each header once.' }
  }
  return { ok: true, names }
}

/** Whether this is written as a signature is: 64 hexadecimal digits in lower case. */
export function isSignature(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
