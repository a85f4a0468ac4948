/* oxlint-disable no-await-in-loop -- each step needs the one before it */
const drainLimitBytes = 64 * 1024

/** Reads away a response that nobody wants, so that its connection can serve later requests. */
export async function drain(response: Response): Promise<void> {
  const reader = response.body?.getReader()
  if (!reader) return
  let size = 0
  try {
    while (size <= drainLimitBytes) {
      const { done, value } = await reader.read()
      if (done) return
      size += value.byteLength
    }
  } catch {
    // The connection is gone; the response was unwanted anyway.
    return
  }
  reader.cancel().catch(() => {})
}
