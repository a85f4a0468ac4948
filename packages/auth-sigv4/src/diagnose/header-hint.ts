import { utf8Bytes } from './byte-string.ts'

/**
 * Why a signed header is another one.
 *
 * @param ours - Its value as it is signed here; `undefined` where it is not signed.
 * @param theirs - As the server has it; `undefined` where it has no such line.
 */
export function headerHint(
  name: string,
  ours: string | undefined,
  theirs: string | undefined,
): string {
  if (ours === undefined) {
    return `The server has ${name} among the signed headers, and this request does not sign it: it is not the request that was sent, or something on the way signed it again.`
  }
  if (!theirs) return droppedHint(name)
  return spellingHint(name, ours, theirs) ?? particularHint(name, ours, theirs)
}

function droppedHint(name: string): string {
  const where = `${name} did not arrive: something on the way drops it`
  if (name === 'content-type') return `${where}, as some proxies do where there is no body.`
  if (name.startsWith('x-amz-')) {
    return `${where}, such as a gateway that passes on only the headers it knows. Let it pass x-amz-*.`
  }
  return `${where}.`
}

function spellingHint(name: string, ours: string, theirs: string): string | undefined {
  if (name === 'host') return undefined
  if (foldBlanks(ours) === foldBlanks(theirs)) {
    return `${name} differs in blanks alone: something on the way, or the server, folds them otherwise.`
  }
  if (withoutListBlanks(ours) === withoutListBlanks(theirs)) {
    return `${name} has several values, and they are joined otherwise: with a comma here and a comma and a blank there, or the other way round. Give it one value.`
  }
  if (utf8Bytes(ours) === theirs || ours === utf8Bytes(theirs)) {
    return `${name} holds characters beyond ASCII, which something reads as UTF-8 and something else as Latin-1. Keep to ASCII, such as by percent-encoding.`
  }
  if (ours.toLowerCase() === theirs.toLowerCase()) {
    return `${name} differs in case alone: something on the way rewrites it.`
  }
  if (
    theirs.startsWith(`${ours},`) ||
    theirs.endsWith(`,${ours}`) ||
    theirs.endsWith(`, ${ours}`)
  ) {
    return `${name} arrived with a further value: something on the way added one, or the header was sent twice.`
  }
  return undefined
}

function particularHint(name: string, ours: string, theirs: string): string {
  switch (name) {
    case 'host':
      return hostHint(ours, theirs)
    case 'content-type':
      return contentTypeHint(ours, theirs)
    case 'x-amz-content-sha256':
      return 'x-amz-content-sha256 was changed on the way, or the body given here is not the one that was sent.'
    case 'x-amz-security-token':
      return 'The request was signed with the session token of other credentials than those that are in use now.'
  }
  return `${name} was rewritten on the way, or is not the header that was sent.`
}

function hostHint(ours: string, theirs: string): string {
  const [own, other] = [splitHost(ours), splitHost(theirs)]
  const keep =
    'Let it keep the Host of the request (nginx: proxy_set_header Host $http_host; Apache: ProxyPreserveHost On).'
  if (own.name === other.name) {
    const what = portChange(own.port, other.port)
    return `The port ${what} on the way, as proxies do that build Host anew. ${keep}`
  }
  if (own.name.toLowerCase() === other.name.toLowerCase()) {
    return `Host differs in case alone: something on the way rewrites it. ${keep}`
  }
  const kind = isInternal(other.name) ? 'an internal host' : 'another host'
  return `Host was changed on the way: a proxy in front of the server puts ${kind} there. ${keep}`
}

function portChange(own: string, other: string): string {
  if (other === '') return `${own} was dropped`
  return own === '' ? `${other} was added` : `${own} became ${other}`
}

function splitHost(host: string): { name: string; port: string } {
  const [, name = host, port = ''] = /^(.*):(\d{1,5})$/.exec(host) ?? []
  return { name, port }
}

/** A name or an address that nobody outside can reach. */
function isInternal(name: string): boolean {
  return (
    !/[.:]/.test(name) ||
    /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/.test(name) ||
    /\.(?:internal|local|localhost|lan|intranet|svc|home\.arpa)$/i.test(name) ||
    /\[(?:::1\]|f[cd][\da-f]{2}:|fe80:)/i.test(name)
  )
}

function contentTypeHint(ours: string, theirs: string): string {
  const [own, other] = [mediaType(ours), mediaType(theirs)]
  if (own === other) {
    return own === 'multipart/form-data'
      ? 'The form was serialised again on the way, or by the client after signing: it has another boundary.'
      : 'The parameters of content-type, such as its charset, were changed on the way.'
  }
  return 'content-type was changed on the way, or by a client that sets its own.'
}

/** A content type without its parameters. */
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
