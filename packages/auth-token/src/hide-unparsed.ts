/**
 * Takes out of an error of Node's `fetch` what its parser did not understand: the rest of the answer,
 * and with it perhaps a token. Looks into all that led to the error.
 *
 * @see https://undici.nodejs.org/#/docs/api/Errors
 */
export function hideUnparsed(error: unknown): unknown {
  const links = new Set([error])
  // What is added on the way is visited too.
  for (const link of links) {
    if (!(link instanceof Error)) continue
    if (link.name === 'HTTPParserError') Reflect.deleteProperty(link, 'data')
    links.add(link.cause)
    if (link instanceof AggregateError) for (const one of link.errors) links.add(one)
  }
  return error
}
