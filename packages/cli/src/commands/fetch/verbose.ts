import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AuthEvent } from '@svc/types'
import type { DiagnosticsChannel } from 'undici'
import type { CommandContext } from '../../context.ts'
import { redactHeader, redactUrls } from '../../output/redact.ts'
import { printable } from '../../output/text.ts'
import { readRawHeaders } from '../../proxy/headers.ts'

/**
 * Tells on standard error what is sent, what comes back, and what happens between, also of requests that are tried
 * again. Returns what ends it.
 */
export function startVerboseLog({ stderr }: CommandContext): () => void {
  const print = (mark: string, text: string): void => void stderr.write(`${mark} ${text}\n`)
  const printHeader = (mark: string, name: string, value: string): void =>
    print(mark, `${printable(name)}: ${redactHeader(name, value)}`)
  /** The session that commands share logs in by way of another one, of this very password: it is one login. */
  let depth = 0
  const channels: Readonly<Record<string, (message: unknown) => void>> = {
    'svc-auth': (message) => {
      const { type, ...rest } = message as AuthEvent
      if (type === 'login.ok' || type === 'login.failed') depth -= 1
      const isInner = type.startsWith('login.') && depth > 0
      if (type === 'login.start') depth += 1
      if (isInner) return
      const facts = Object.entries(rest).map(
        ([name, value]) => `${name}=${printable(String(value))}`,
      )
      print('*', [type, ...facts].join(' '))
    },
    'undici:client:sendHeaders': (message) => {
      const { headers } = message as DiagnosticsChannel.ClientSendHeadersMessage
      for (const line of headers.split('\r\n')) {
        const [, name, value = ''] = /^(:?[^:\s]+): (.*)$/.exec(line) ?? []
        if (name === undefined) print('>', printable(redactUrls(line)))
        else printHeader('>', name, value)
      }
    },
    'undici:request:headers': (message) => {
      const { response } = message as DiagnosticsChannel.RequestHeadersMessage
      print('<', String(response.statusCode))
      for (const [name, value] of readRawHeaders(response.headers)) printHeader('<', name, value)
      print('<', '')
    },
  }
  for (const [name, listener] of Object.entries(channels)) subscribe(name, listener)
  return () => {
    for (const [name, listener] of Object.entries(channels)) unsubscribe(name, listener)
  }
}
