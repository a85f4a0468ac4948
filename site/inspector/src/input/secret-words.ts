const named = String.raw`(?:token|secret|passw\w*|cookie|api[-_]?key|authorization)["']?\s*[:=>]`

/** What stands before a secret, or begins one. */
const secret = new RegExp(String.raw`${named}|\bbearer\s+\S|\beyJ`, 'i')
const signature = /signature["']?\s*[:=>]|(?:^|\s)(?:-u|--user)\s/i

/**
 * Tells by its words if a text that was not read, or not read yet, may hold a secret; a signature is none where the
 * request that bears it is too old.
 */
export function mayHoldSecrets(text: string, isSignatureUsable: boolean): boolean {
  const start = text.slice(0, 65_536)
  return secret.test(start) || (isSignatureUsable && signature.test(start))
}
