import type { IncomingMessage } from 'node:http'

const limitBytes = 64 * 1024
const limitMs = 1000

/**
 * Reads away a response that nobody wants, as `drain` does for `fetch`, so that its connection can
 * serve later requests.
 */
export function drainMessage(message: IncomingMessage): void {
  let size = 0
  const timer = setTimeout(() => message.destroy(), limitMs)
  timer.unref()
  message.once('close', () => clearTimeout(timer))
  message.on('error', () => {})
  message.on('data', ({ length }: Buffer) => {
    size += length
    if (size > limitBytes) message.destroy()
  })
}
