/** An error of a service that is no object store, as far as it is read. */
export interface MessageEvidence {
  readonly code: string
  readonly message: string
  readonly canonical: string | undefined
  readonly stringToSign: string | undefined
}

/**
 * Reads an error in JSON, as the services of AWS but S3 return it: an object with a message, and a code there or in
 * `x-amzn-errortype`. `undefined` where it is none. The message quotes what was to be signed.
 */
export function readErrorJson(text: string, errorType: string | null): MessageEvidence | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const fields = new Map<string, unknown>(Object.entries(parsed))
  const first = (...names: readonly string[]): string =>
    names.map((name) => fields.get(name)).find((value) => typeof value === 'string') ?? ''
  const message = first('message', 'Message', 'errorMessage')
  if (message === '') return undefined
  // `com.amazon.coral.service#InvalidSignatureException:http://internal.amazon.com/…`
  const code = (errorType ?? first('__type', 'code', 'Code'))
    .replace(/:.*$/s, '')
    .replace(/^.*#/s, '')
  return { code: code.trim(), ...readQuotes(message) }
}

/** Takes the two texts out of a message that quotes them, as the services of AWS but S3 do. */
export function readQuotes(text: string): Omit<MessageEvidence, 'code'> {
  const quoted = (intro: string): string | undefined => {
    const start = text.indexOf(intro)
    if (start < 0) return undefined
    const [, content] = /^\s*'([^']*)'/.exec(text.slice(start + intro.length)) ?? []
    return content
  }
  const canonicalIntro = 'The Canonical String for this request should have been'
  const canonical = quoted(canonicalIntro)
  const stringToSign = quoted('The String-to-Sign should have been')
  const [message = ''] = canonical === undefined ? [text] : text.split(canonicalIntro, 1)
  return { message: message.trim(), canonical, stringToSign }
}
