import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AuthEvent } from '@svc/types'
import type { CommandContext } from '../../context.ts'
import { redactHeader, redactUrls } from '../../output/redact.ts'
import { printable } from '../../output/text.ts'
import type { AttemptObserver } from './send.ts'

/** Tells on standard error what is sent, what comes back, and what happens between. */
export interface VerboseLog extends AttemptObserver {
  end(): void
}

/** Begins to tell. */
export function startVerboseLog({ stderr }: CommandContext): VerboseLog {
  const print = (mark: string, text: string): void => void stderr.write(`${mark} ${text}\n`)
  const printHeaders = (mark: string, headers: Iterable<readonly [string, unknown]>): void => {
    for (const [name, value] of headers) {
      for (const line of [value].flat())
        print(mark, `${printable(name)}: ${redactHeader(name, String(line))}`)
    }
    print(mark, '')
  }
  const onEvent = (event: unknown): void => {
    // Only our own packages publish on this channel.
    const { type, ...rest } = event as AuthEvent
    const facts = Object.entries(rest).map(([name, value]) => `${name}=${printable(String(value))}`)
    print('*', [type, ...facts].join(' '))
  }
  subscribe('svc-auth', onEvent)
  return {
    onSend({ method, origin, path, headers }) {
      print('>', `${method} ${printable(redactUrls(path))}`)
      const { host } = new URL(String(origin))
      printHeaders('>', [['host', host], ...Object.entries(headers ?? {})])
    },
    onResponse(status, headers) {
      print('<', String(status))
      printHeaders('<', Object.entries(headers))
    },
    end: () => void unsubscribe('svc-auth', onEvent),
  }
}
