/** The most that is read of a response for the message in it. */
export const maxMessageBytes: number = 16 * 1024
const maxCharacters = 500
/** A shorter secret stands in many words by chance. */
const minSecret = 4
/** Fields of JSON in order of preference: those of the service, of OAuth, of RFC 9457, and the code of OAuth. */
const fieldNames = ['message', 'error_description', 'detail', 'title', 'error']

const encoder = /* @__PURE__ */ new TextEncoder()

/**
 * Returns the message in the response to a failed login, as one printable line of at most 500 characters: the first of
 * some fields of JSON, or the `<Message>` of XML. Returns `undefined` if there is none, or if it contains a secret as it
 * stands, percent-encoded, in base64 or escaped as in JSON: a part that is left could still tell it.
 *
 * @param secrets - The password, and what came in place of a token.
 */
export function readServerMessage(body: string, secrets: readonly string[]): string | undefined {
  const found = findMessage(body.slice(0, maxMessageBytes).trim())
  if (found === undefined || secrets.some((secret) => contains(found, secret))) return undefined
  // A pattern from a text, since V8 would parse a literal whenever the package is loaded.
  const unprintable = new RegExp('[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029\\uFFFD]', 'gu')
  const line = found.replace(unprintable, ' ').trim().slice(0, maxCharacters)
  // The last character may be half of one.
  return line.replace(/[\uD800-\uDBFF]$/, '').trim() || undefined
}

function findMessage(body: string): string | undefined {
  if (body.startsWith('<')) {
    const pattern = /<(?:[\w.-]+:)?message\b[^<>]*>(?:<!\[CDATA\[([^]*?)\]\]>|([^<]*)<)/i
    const [, data, text] = pattern.exec(body) ?? []
    return data ?? text
  }
  try {
    const parsed = Object(JSON.parse(body))
    const { error, error_description: said } = parsed
    // A program goes by the code of OAuth: `invalid_grant` ends a sign-in.
    if (error && said) return `${error}: ${said}`
    const texts = fieldNames.flatMap((name) =>
      Object.entries(parsed).flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : [])),
    )
    return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '')
  } catch {
    return undefined
  }
}

/** Tells if a text has a secret in it, as it stands or encoded. */
export function contains(text: string, secret: string): boolean {
  if (secret.length < minSecret) return false
  const folded = text.toLowerCase()
  return formsOf(secret).some((form) => folded.includes(form.toLowerCase()))
}

/** Returns a secret as it stands, and as it is encoded once. */
function formsOf(secret: string): string[] {
  const bytes = encoder.encode(secret)
  // A multiple of three bytes, so that the beginning of a long secret is encoded as the whole begins.
  const padded = btoa(String.fromCharCode(...bytes.subarray(0, 3 * maxCharacters)))
  const base64 = padded.replace(/=+$/, '')
  const base64Url = base64.replaceAll('+', '-').replaceAll('/', '_')
  const inJson = JSON.stringify(secret).slice(1, -1)
  // Decoded again, since half of a character cannot be percent-encoded.
  const percentEncoded = encodeURIComponent(new TextDecoder().decode(bytes))
  return [secret, percentEncoded, base64, base64Url, inJson]
}
