/** The access key of an environment: "Client Key" and secret of the console's API Keys page. */
export interface ApiKey {
  accessKeyId: string
  secretAccessKey: string
  /** Sent as `x-amz-security-token` where the key is a temporary one. */
  sessionToken?: string | undefined
  /** When the key ends, in epoch milliseconds; an async provider is asked again ahead of it. */
  expiresAt?: number | undefined
}

/**
 * Checks a key and copies it, so that a later change of the caller's object changes nothing.
 *
 * @returns the copy, or the name of the field that is wrong and why.
 */
export function checkApiKey(key: unknown): ApiKey | string {
  if (typeof key !== 'object' || key === null) {
    return 'credentials must be an object with accessKeyId and secretAccessKey'
  }
  // As unknown as its fields are, each is checked below.
  const { accessKeyId, secretAccessKey, sessionToken, expiresAt } = key as ApiKey
  const fields = {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  }
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      return `credentials.${name} must be a string that is not empty, of visible ASCII characters without blanks`
    }
  }
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
    return 'credentials.expiresAt must be an instant in epoch milliseconds'
  }
  return { ...fields, ...(expiresAt !== undefined && { expiresAt }) }
}
