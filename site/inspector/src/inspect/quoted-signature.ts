import type { HeaderLine } from '../input/pasted-request.ts'

/** The parts of a request and its signature that a server's error quotes. Empty where it does not. */
export interface QuotedSignature {
  readonly accessKeyId: string
  readonly region: string
  readonly service: string
  readonly method: string
  readonly headers: readonly HeaderLine[]
  readonly signedHeaders: readonly string[]
  readonly stringToSign: string
  /** The signature that arrived. */
  readonly signature: string
}

/** The most of an error that is searched. */
const maxText = 262_144

/**
 * Reads from a server's error what a text does not tell of its request: a HAR from which a browser left the
 * `Authorization` header out, a URL alone, a command before it is sent.
 */
export function readQuotedSignature(body: string): QuotedSignature {
  const text = body.slice(0, maxText)
  const canonical = element(text, 'CanonicalRequest') || quoted(text, 'The Canonical String')
  const stringToSign = element(text, 'StringToSign') || quoted(text, 'The String-to-Sign')
  const [, , scope = ''] = stringToSign.split('\n', 3)
  const [, region = '', service = ''] = scope.split('/', 3)
  const [method = '', , , ...lines] = canonical.split('\n')
  const names = lines.at(-2) ?? ''
  return {
    accessKeyId: element(text, 'AWSAccessKeyId').slice(0, 200),
    region: named(region),
    service: named(service),
    method: /^[A-Z]{1,20}$/.test(method) ? method : '',
    headers: lines.slice(0, -3).flatMap((line): HeaderLine[] => {
      const [, name, value = ''] = /^([\w-]+):(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
    signedHeaders: /^[\w;-]{1,4000}$/.test(names) ? names.split(';') : [],
    stringToSign,
    signature: element(text, 'SignatureProvided'),
  }
}

/** Returns the text of an element of XML. */
function element(text: string, name: string): string {
  const start = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, start)
  if (start < 0 || end < 0) return ''
  return text
    .slice(start + name.length + 2, end)
    .trim()
    .replaceAll('\r', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** Returns what the message of an error in JSON quotes behind an introduction. */
function quoted(text: string, intro: string): string {
  const start = text.indexOf(intro)
  const [, content = ''] = start < 0 ? [] : (/^[^']*'([^']*)'/.exec(text.slice(start)) ?? [])
  return content.replaceAll('\\n', '\n')
}

function named(text: string): string {
  return /^[\w-]{1,60}$/.test(text) ? text : ''
}
