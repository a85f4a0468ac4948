import { isSecretName, printable } from './text.ts'

/** Returns the value of a header for people to read: of a signature all but the signature, of a secret nothing. */
export function redactHeader(name: string, value: string): string {
  if (/^authorization$/i.test(name) && value.startsWith('AWS4-HMAC-SHA256 ')) {
    return value.replace(/(Signature=)\w+/, '$1[redacted]')
  }
  return isSecret(name) ? '[redacted]' : printable(value)
}

/** Returns a path with its query, without the values of parameters that are secret by their names. */
export function redactTarget(target: string): string {
  const [path = '', ...rest] = target.split('?')
  if (rest.length === 0) return path
  const query = rest
    .join('?')
    .split('&')
    .map((piece) =>
      piece.replace(/^([^=]*)=(.*)$/s, (_all, name: string, value: string) =>
        isSecret(name) ? `${name}=[redacted]` : `${name}=${value}`,
      ),
    )
  return `${path}?${query.join('&')}`
}

function isSecret(name: string): boolean {
  return isSecretName(name) || /authorization|signature|credential|passwd/i.test(name)
}
