import { utf8Bytes } from './text.ts'

/**
 * Explains why a signed header is another one.
 *
 * @param expected - Its value as it is signed here; `undefined` where it is not signed.
 * @param actual - Its value as the server has it; `undefined` where it has no such line.
 */
export function headerHint(
  name: string,
  expected: string | undefined,
  actual: string | undefined,
): string {
  if (expected === undefined) {
    return `The server has ${name} among the signed headers, but this request does not sign it: it is not the request that was sent.`
  }
  if (!actual) return droppedHint(name)
  return spellingHint(name, expected, actual) ?? particularHint(name, expected, actual)
}

function droppedHint(name: string): string {
  const loss = `${name} did not arrive: something on the way drops it`
  if (name === 'content-type') return `${loss}, as some proxies do when there is no body.`
  if (name.startsWith('x-amz-')) {
    return `${loss}, perhaps a gateway that forwards only the headers it knows. Configure it to forward x-amz-*.`
  }
  return `${loss}.`
}

function spellingHint(name: string, expected: string, actual: string): string | undefined {
  if (name === 'host') return undefined
  if (foldBlanks(expected) === foldBlanks(actual)) {
    return `${name} differs only in whitespace: something on the way, or the server, collapses it differently.`
  }
  if (withoutListBlanks(expected) === withoutListBlanks(actual)) {
    return `${name} has several values, which are joined differently: with a comma, or with a comma and a space. Give it a single value.`
  }
  if (utf8Bytes(expected) === actual || expected === utf8Bytes(actual)) {
    return `${name} has non-ASCII characters, which are read as UTF-8 in one place and as Latin-1 in another. Use only ASCII.`
  }
  if (expected.toLowerCase() === actual.toLowerCase()) {
    return `${name} differs only in case: something on the way rewrites it.`
  }
  if (
    actual.startsWith(`${expected},`) ||
    actual.endsWith(`,${expected}`) ||
    actual.endsWith(`, ${expected}`)
  ) {
    return `${name} arrived with an extra value, or was sent twice.`
  }
  return undefined
}

function particularHint(name: string, expected: string, actual: string): string {
  switch (name) {
    case 'host':
      return hostHint(expected, actual)
    case 'content-type':
      return contentTypeHint(expected, actual)
    case 'x-amz-content-sha256':
      return 'x-amz-content-sha256 was changed on the way, or the body given here is not the one that was sent.'
    case 'x-amz-security-token':
      return 'The request was signed with the session token of different credentials than those in use here now.'
  }
  return `${name} was rewritten on the way, or is not the header that was sent.`
}

function hostHint(expected: string, actual: string): string {
  const keep =
    'Configure the proxy to keep the original Host (nginx: proxy_set_header Host $http_host; Apache: ProxyPreserveHost On).'
  const [own, other] = [hostName(expected), hostName(actual)]
  if (own === other) {
    return `The port was changed on the way, typically at a proxy that rebuilds Host. ${keep}`
  }
  if (own.toLowerCase() === other.toLowerCase()) {
    return `Host differs only in case: something on the way rewrites it. ${keep}`
  }
  return `Host was changed on the way: a proxy in front of the server replaces it. ${keep}`
}

function hostName(host: string): string {
  return host.replace(/:\d{1,5}$/, '')
}

function contentTypeHint(expected: string, actual: string): string {
  const [own, other] = [mediaType(expected), mediaType(actual)]
  if (own === other) {
    return own === 'multipart/form-data'
      ? 'The form was re-serialized on the way, or by the client: it has a different boundary.'
      : 'The parameters of content-type, such as its charset, were changed on the way.'
  }
  return 'content-type was changed on the way, or by a client that sets its own.'
}

/** Returns a content type without its parameters. */
export function mediaType(contentType: string): string {
  return contentType.replace(/;.*/, '').trim().toLowerCase()
}

function foldBlanks(value: string): string {
  return value.split(/[ \t]/).filter(Boolean).join(' ')
}

function withoutListBlanks(value: string): string {
  return value
    .split(',')
    .map((part) => part.trim())
    .join(',')
}
