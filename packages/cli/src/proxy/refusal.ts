/** A request that the proxy does not forward, or whose forwarding failed. Its message holds no secret. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal'
  readonly status: number
  /** One word for the log and for tools, such as `AccessDenied`. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Returns the refusal of a request that is not allowed. */
export const denied = (message: string): ProxyRefusal =>
  new ProxyRefusal(403, 'AccessDenied', message)

/** Returns the refusal of a request that is wrong by itself. */
export const invalid = (message: string): ProxyRefusal =>
  new ProxyRefusal(400, 'InvalidRequest', message)

/** Writes a refusal in the form that its client reads: tools that sign read the XML of an object store. */
export function refusalBody(
  { code, message }: ProxyRefusal,
  form: 'xml' | 'json',
): { readonly contentType: string; readonly body: Buffer } {
  if (form === 'json') {
    const text = `${JSON.stringify({ code, message: `svc-auth proxy: ${message}` })}\n`
    return { contentType: 'application/json', body: Buffer.from(text) }
  }
  const text =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<Error><Code>${escapeXml(code)}</Code><Message>svc-auth proxy: ${escapeXml(message)}</Message></Error>\n`
  return { contentType: 'application/xml', body: Buffer.from(text) }
}

function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
