/** The text of a response, as far as it was read. */
export interface ResponseText {
  text: string
  isWhole: boolean
}

/**
 * Reads a response as UTF-8, or the beginning of one that is larger than the limit. An abort stops it
 * too, whether or not the `fetch` that it came from heeds the signal.
 */
export async function readText(
  into: ResponseText,
  response: Response,
  limitBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const { body } = response
  const onAbort = (stop: () => void): void => signal.addEventListener('abort', stop, { once: true })
  if (typeof body?.getReader !== 'function') {
    // React Native has no streams, and a package for Node has those of Node.
    onAbort(() => Object(body).destroy?.())
    const text = await response.text()
    into.text = text.slice(0, limitBytes)
    into.isWhole = text.length <= limitBytes
    return
  }
  const reader = body.getReader()
  // Not awaited: a server that is still sending need not be waited for.
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {})
  onAbort(cancel)
  const decoder = new TextDecoder()
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    into.text += decoder.decode(next.value.subarray(0, limitBytes - size), { stream: true })
    // Endless chunks of nothing would let no timer fire.
    size += next.value.byteLength || 1
    if (size > limitBytes) return cancel()
  }
  into.text += decoder.decode()
  into.isWhole = !signal.aborted
}
