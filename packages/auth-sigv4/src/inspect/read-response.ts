/** A response as a text holds it. */
export interface ResponseRead {
  /** The status; `undefined` where the text is a body alone. */
  readonly status: number | undefined
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body. */
  readonly body: string
}

/**
 * Reads a response as `curl -i` writes it, after those of a proxy and to `Expect` if there are any, or a body alone.
 * What it returns is a response to `diagnose`, once it has a status.
 *
 * @example
 * import { readResponse } from '@svc/auth-sigv4/inspect'
 *
 * const { status, body } = readResponse('HTTP/1.1 403 Forbidden\r\n\r\n<Error/>')
 * console.log(status, body) // 403 <Error/>
 */
export function readResponse(text: string): ResponseRead {
  let rest = text
  let status: number | undefined
  let headers: Record<string, string> = {}
  for (;;) {
    const head = /^HTTP\/\d(?:\.\d)? +(\d{3})[^\n]*(?:\n|$)/.exec(rest)
    if (!head) return { status, headers, body: rest }
    status = Number(head[1])
    const end = /\r?\n\r?\n/.exec(rest)
    headers = readHead(rest.slice(head[0].length, end?.index))
    rest = end ? rest.slice(end.index + end[0].length) : ''
  }
}

function readHead(text: string): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^\s:]+):[\t ]*(.*)$/.exec(line) ?? []
    if (name !== undefined) headers[name.toLowerCase()] = value.trimEnd()
  }
  return headers
}
