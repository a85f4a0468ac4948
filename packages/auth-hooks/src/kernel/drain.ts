const limitBytes = 64 * 1024
const limitMs = 1000

/**
 * Reads and discards a response that nobody wants, so that its connection can serve later requests. Never
 * rejects and is not waited for: a body that does not end would hold up the request.
 */
export async function drain(response: {
  readonly body: ReadableStream<Uint8Array> | null
}): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const reader = response.body?.getReader()
    if (!reader) return
    const cancel = (): void => void reader.cancel().catch(() => {})
    timer = setTimeout(cancel, limitMs)
    for (let size = 0; size <= limitBytes;) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.byteLength
    }
    cancel()
  } catch {
    // The connection is gone; the response was unwanted anyway.
  } finally {
    clearTimeout(timer)
  }
}
