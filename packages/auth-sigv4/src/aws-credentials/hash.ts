/** Returns the hash of a text in hex, as the names of cached files have it. */
export async function sha(algorithm: 'sha1' | 'sha256', text: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  return createHash(algorithm).update(text).digest('hex')
}
