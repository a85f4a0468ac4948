/**
 * Takes out of an error of Node's `fetch` what its parser did not understand: the rest of the answer,
 * and with it perhaps a token.
 *
 * @see https://undici.nodejs.org/#/docs/api/Errors
 */
export function hideUnparsed(error: unknown): unknown {
  const seen = new Set<unknown>()
  for (let link = error; link instanceof Error && !seen.has(link); link = link.cause) {
    seen.add(link)
    if (link.name === 'HTTPParserError') Reflect.deleteProperty(link, 'data')
  }
  return error
}
