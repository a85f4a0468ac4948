import { sha256Hex } from './signature.ts'
import { formatScope, type CredentialScope } from './credential-scope.ts'

/** The one algorithm of Signature Version 4 that is spoken here. */
export const signingAlgorithm = 'AWS4-HMAC-SHA256'

/** The string to sign of a request. */
export function stringToSign(
  amzDate: string,
  scope: CredentialScope,
  canonicalRequest: string,
): string {
  return [signingAlgorithm, amzDate, formatScope(scope), sha256Hex(canonicalRequest)].join('\n')
}
