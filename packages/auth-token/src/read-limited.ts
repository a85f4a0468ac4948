/** Reads a response as UTF-8, or gives `undefined` and stops where it is larger than the limit. */
export async function readLimited(
  response: Response,
  limitBytes: number,
): Promise<string | undefined> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength
    if (size > limitBytes) {
      // Not awaited: a server that is still sending need not be waited for.
      reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
