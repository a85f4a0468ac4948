/**
 * Reads a response as UTF-8. Resolves to `undefined` for one that is larger than the limit. An abort stops it
 * too, whether or not the `fetch` that it came from heeds the signal.
 */
export async function readText(
  response: Response,
  limitBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { body } = response
  const onAbort = (stop: () => void): void => signal.addEventListener('abort', stop, { once: true })
  if (typeof body?.getReader !== 'function') {
    // React Native has no streams, and a package for Node has those of Node.
    onAbort(() => Object(body).destroy?.())
    const whole = await response.text()
    return whole.length <= limitBytes ? whole : undefined
  }
  const reader = body.getReader()
  // Not awaited: a server that is still sending need not be waited for.
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {})
  onAbort(cancel)
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true })
    // Endless chunks of nothing would let no timer fire.
    size += next.value.byteLength || 1
    if (size > limitBytes) {
      cancel()
      return undefined
    }
  }
  return text + decoder.decode()
}
