import { headerText, isSecretName, printable } from './text.ts'

/** Returns the value of a header for people to read: of a signature all but the signature, of a secret nothing. */
export function redactHeader(name: string, value: string): string {
  if (/^authorization$/i.test(name) && value.startsWith('AWS4-HMAC-SHA256 ')) {
    return printable(value.replace(/(Signature=)\w+/, '$1[redacted]'))
  }
  return isSecret(name) ? '[redacted]' : printable(redactUrls(headerText(value)))
}

/**
 * Returns a text without the passwords of the URLs in it, and without the values of their parameters that are secret
 * by their names. A URL may stand anywhere in it, as in `link` and `refresh`.
 */
export function redactUrls(text: string): string {
  const withoutUsers = text.replace(/\/\/[^\s/?#<>"]*@/g, '//[redacted]@')
  let shown = ''
  let end = 0
  for (const { 0: start, 1: name = '', index } of withoutUsers.matchAll(parameter)) {
    if (index < end || !isSecret(decoded(name))) continue
    const from = index + start.length
    const length = withoutUsers.slice(from).search(/[\s&#<>"]|$/)
    shown += `${withoutUsers.slice(end, from)}[redacted]`
    end = from + length
  }
  return shown + withoutUsers.slice(end)
}

const parameter = /[?&#;]\s*([^\s?&#;=<>"]+)=/g

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function isSecret(name: string): boolean {
  return (
    isSecretName(name) ||
    /authorization|signature|credential|passwd|^(?:code|jwt|key|pwd|sig)$/i.test(name)
  )
}
