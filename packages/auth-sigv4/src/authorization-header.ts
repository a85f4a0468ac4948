import { algorithm } from './string-to-sign.ts'

/** The `Authorization` header of a signed request. */
export function authorizationHeader(
  accessKeyId: string,
  scope: string,
  signedHeaders: string,
  signature: string,
): string {
  return `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`
}
