/** The one algorithm of this scheme. */
export const algorithm = 'AWS4-HMAC-SHA256'

/**
 * The string that the signing key signs.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function stringToSign(amzDate: string, scope: string, canonicalRequestHash: string): string {
  return `${algorithm}\n${amzDate}\n${scope}\n${canonicalRequestHash}`
}
