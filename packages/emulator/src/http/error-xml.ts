import type { Refused } from '../sigv4/result.ts'
import { xmlElements } from './xml.ts'

/** The object-store answer to what went wrong, as XML. */
export function errorXml(elements: readonly (readonly [element: string, text: string])[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${xmlElements(elements)}</Error>`
}

/**
 * The elements that object stores answer to a refused signature. Their texts may lack characters
 * that XML cannot write; the `…Bytes` elements hold every one.
 */
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
