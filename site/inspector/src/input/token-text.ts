/**
 * Finds the token in a text that is one: alone, behind `Bearer`, as the header `Authorization` or
 * `x-svc-security-token`, or as the `Token` of a login's response.
 */
export function findToken(text: string): string | undefined {
  const trimmed = text.trim()
  const [, behind] =
    /^(?:(?:authorization|x-svc-security-token)\s*:\s*)?(?:bearer\s+)?([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(
      trimmed,
    ) ?? []
  if (behind !== undefined && behind.startsWith('ey')) return behind
  const [, inJson] = /^\{\s*"(?:Token|access_token)"\s*:\s*"([\w.-]+)"/.exec(trimmed) ?? []
  return inJson
}

/** Finds the token in the headers of a request. */
export function tokenOfHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): string | undefined {
  for (const [name, value] of headers) {
    if (!/^(?:authorization|x-svc-security-token)$/i.test(name)) continue
    const token = findToken(value)
    if (token !== undefined) return token
  }
  return undefined
}
