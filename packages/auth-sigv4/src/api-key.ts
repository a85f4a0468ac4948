/**
 * The access key of an environment: the "Client Key" and secret from the console's API Keys page.
 *
 * @see Interface of the service, sections 2 and 5.2
 */
export interface ApiKey {
  /** The access key: visible ASCII characters. It is part of every signed request. */
  accessKeyId: string
  /** The secret key: visible ASCII characters. It is never sent. */
  secretAccessKey: string
  /**
   * Sent and signed as `x-amz-security-token`, for a temporary key.
   *
   * @default not sent
   */
  sessionToken?: string | undefined
  /**
   * When the key expires, in epoch milliseconds. A function that returns keys is called again 5 minutes
   * before.
   *
   * @default never; a function is then called for every signature
   */
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
      return `credentials.${name} must be a non-empty string of visible ASCII characters without spaces`
    }
  }
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
    return 'credentials.expiresAt must be an instant in epoch milliseconds'
  }
  return { ...fields, ...(expiresAt !== undefined && { expiresAt }) }
}
