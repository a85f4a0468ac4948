/** The parts of a signature that a server's error quotes. Empty where it does not. */
export interface QuotedSignature {
  readonly accessKeyId: string
  readonly region: string
  readonly service: string
  readonly signedHeaders: readonly string[]
}

/** The most of an error that is searched. */
const maxText = 262_144

/**
 * Reads from a server's error how a request was signed that came without its `Authorization` header, which browsers
 * leave out of a HAR.
 */
export function readQuotedSignature(body: string): QuotedSignature {
  const text = body.slice(0, maxText)
  const element = (name: string): string => {
    const start = text.indexOf(`<${name}>`)
    const end = text.indexOf(`</${name}>`, start)
    return start < 0 || end < 0 ? '' : text.slice(start + name.length + 2, end).trim()
  }
  const [, , scope = ''] = element('StringToSign').split(/\r?\n/, 3)
  const [, region = '', service = ''] = scope.split('/', 3)
  const names = element('CanonicalRequest').split(/\r?\n/).at(-2) ?? ''
  return {
    accessKeyId: element('AWSAccessKeyId').slice(0, 200),
    region: named(region),
    service: named(service),
    signedHeaders: /^[\w;-]{1,4000}$/.test(names) ? names.split(';') : [],
  }
}

function named(text: string): string {
  return /^[\w-]{1,60}$/.test(text) ? text : ''
}
