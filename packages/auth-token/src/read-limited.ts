/**
 * Reads a response as UTF-8, or gives `undefined` and stops where it is larger than the limit. An
 * abort stops it too, whether or not the `fetch` that it came from heeds the signal.
 */
export async function readLimited(
  response: Response,
  limitBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  signal.addEventListener('abort', () => reader.cancel(signal.reason).catch(() => {}), {
    once: true,
  })
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
