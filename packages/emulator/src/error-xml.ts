import type { Refused } from './verification.ts'

/** The object-store answer to what went wrong, as XML. */
export function errorXml(elements: readonly (readonly [element: string, text: string])[]): string {
  const content = elements.map(([element, text]) => `<${element}>${escapeXml(text)}</${element}>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join('')}</Error>`
}

/** The elements that object stores answer to a refused signature. */
export function refusalElements(refused: Refused): [element: string, text: string][] {
  const elements: [element: string, text: string][] = [
    ['Code', refused.code],
    ['Message', refused.message],
    ...refused.details.map(([element, text]): [string, string] => [element, text]),
  ]
  if (refused.accessKeyId !== undefined) elements.push(['AWSAccessKeyId', refused.accessKeyId])
  if (refused.stringToSign !== undefined) {
    elements.push(['StringToSign', refused.stringToSign])
    elements.push(['StringToSignBytes', hexBytes(refused.stringToSign)])
  }
  if (refused.canonicalRequest !== undefined) {
    elements.push(['CanonicalRequest', refused.canonicalRequest])
    elements.push(['CanonicalRequestBytes', hexBytes(refused.canonicalRequest)])
  }
  if (refused.signatureProvided !== undefined) {
    elements.push(['SignatureProvided', refused.signatureProvided])
  }
  return elements
}

function hexBytes(text: string): string {
  return Buffer.from(text, 'latin1')
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A parser turns a bare carriage return into a line feed.
  '\r': '&#13;',
}

function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"'\r]/g, (character) => entities[character] ?? character)
      // XML 1.0 has no way to write these; the …Bytes elements hold them.
      .replace(/\p{Cc}/gu, (character) => (isXmlCharacter(character) ? character : '\ufffd'))
  )
}

// The C1 controls are allowed; of the others only tab and line feed reach this line.
function isXmlCharacter(control: string): boolean {
  return control === '\t' || control === '\n' || control >= '\u007f'
}
