/**
 * A text and the forms in which a log or an error may hold it all the same: as JSON, once and twice, in
 * XML, as bytes of UTF-8 or UTF-16 read as Latin-1, percent-encoded in part or in whole, once and twice, as
 * a list of bytes, in hex, in base64 and base64url, also where it is a part of what was encoded, as in
 * `Basic` credentials.
 */
export function encodedForms(text: string): string[] {
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  const escaped = hex.replace(/../g, '%$&')
  const component = encodeURIComponent(text)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const base64 = [0, 1, 2].map((offset) => innerBase64(bytes, offset))
  return [
    ...new Set([
      text,
      inJson(text),
      inJson(inJson(text)),
      text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
      bytes.toString('latin1'),
      // Without the last byte, it stands in the other byte order too.
      Buffer.from(text, 'utf16le').toString('latin1').slice(0, -1),
      bytes.join(','),
      hex.replace(/..(?!$)/g, '$& '),
      ...[component, encodeURIComponent(component), form, escaped, hex].flatMap((one) => [
        one,
        lowerEscapes(one),
        upperEscapes(one),
      ]),
      hex.toUpperCase(),
      ...base64,
      ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
    ]),
  ]
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The base64 of some bytes, as it stands behind `offset` others, without what those decide too. */
function innerBase64(bytes: Uint8Array, offset: number): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes])
  const begin = Math.ceil((offset * 8) / 6)
  const end = Math.floor((whole.length * 8) / 6)
  return whole.toString('base64').slice(begin, end)
}

function lowerEscapes(text: string): string {
  return text.replace(/%[\dA-F]{2}/gi, (escape) => escape.toLowerCase())
}

function upperEscapes(text: string): string {
  return text.replace(/%[\dA-F]{2}/gi, (escape) => escape.toUpperCase())
}
