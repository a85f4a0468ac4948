import { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request as sendHttp } from 'node:http'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import type { Addresses } from '../addresses.ts'
import { appFolder, hermes } from './app-bundle.ts'

/** A message of the engine: see `tests/react-native/native-modules.js`. */
type EngineMessage =
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'timer'; readonly id: number; readonly ms: number }
  | { readonly type: 'report'; readonly report?: unknown; readonly error?: string }
  | { readonly type: 'abort'; readonly id: number }
  | ({ readonly type: 'send'; readonly id: number } & NativeRequest)

interface NativeRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly responseType: string
  /** In Latin-1. */
  readonly bytes?: string
  readonly parts?: readonly { readonly headers: [string, string][]; readonly string: string }[]
}

/**
 * Runs a bundle in the engine, with its requests and timers in this process.
 *
 * @returns What `runApp` of the bundle resolved to.
 */
export async function runApp(bundle: string, { service, control }: Addresses): Promise<unknown> {
  const files = [join(appFolder, 'native-modules.js'), bundle]
  const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  // Its console reads one script from each line.
  const engine = spawn(hermes, ['-prompt=', '-prompt2=', '-enable-eval', ...flags], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const tell = (message: object): void => {
    engine.stdin.write(`receive(${JSON.stringify(message)})\n`)
  }
  const pending = new Map<number, AbortController>()
  const log: string[] = []
  const result = new Promise<unknown>((resolve, reject) => {
    const giveUp = (): void =>
      reject(new Error(`no report within ${limitMs} ms: ${log.join('\n')}`))
    setTimeout(giveUp, limitMs).unref()
    engine.on('error', reject)
    engine.on('close', () => reject(new Error(`the engine ended: ${log.join('\n')}`)))
    engine.stderr.on('data', (chunk) => log.push(String(chunk)))
    createInterface({ input: engine.stdout }).on('line', (line) => {
      // Anything else is the value of a script, or an error of one.
      if (!line.startsWith('\u0001')) {
        log.push(line)
        // Its stack follows, and then nothing more.
        if (line.includes('Uncaught')) engine.stdin.end()
        return
      }
      // Written by the native modules of this very test.
      const message = JSON.parse(line.slice(1)) as EngineMessage
      switch (message.type) {
        case 'log':
          log.push(message.text)
          return
        case 'timer':
          setTimeout(() => tell({ type: 'timer', id: message.id }), message.ms).unref()
          return
        case 'abort':
          pending.get(message.id)?.abort()
          return
        case 'report':
          if (message.error === undefined) resolve(message.report)
          else reject(new Error(`${message.error}\n${log.join('\n')}`))
          return
        case 'send': {
          const { id, responseType } = message
          const controller = new AbortController()
          pending.set(id, controller)
          sendAsOkHttp(message, controller.signal).then(
            (response) => tell({ type: 'response', id, responseType, ...response }),
            (error: unknown) => tell({ type: 'failure', id, error: String(error) }),
          )
        }
      }
    })
  })
  for (const source of sources) engine.stdin.write(`(0, eval)(${JSON.stringify(source)})\n`)
  tell({ type: 'run', service, control })
  return result.finally(() => engine.kill())
}

const limitMs = 90_000
const flags = ['-w', '-Xes6-promise', '-Xmicrotask-queue']

interface NativeResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly url: string
  readonly bytes: string
}

/** The redirects that OkHttp follows with the method and the body of the request. */
const keepingStatuses = new Set([307, 308])
const redirectStatuses = new Set([300, 301, 302, 303, ...keepingStatuses])

/**
 * Sends a request as OkHttp does for React Native on Android: it follows each redirect by itself, with all headers
 * but `authorization`, which it leaves out where the target is another host.
 *
 * @see https://github.com/square/okhttp/blob/master/okhttp/src/commonJvmAndroid/kotlin/okhttp3/internal/http/RetryAndFollowUpInterceptor.kt
 */
async function sendAsOkHttp(request: NativeRequest, signal: AbortSignal): Promise<NativeResponse> {
  const { method, url, bytes, parts } = request
  const headers = Object.fromEntries(request.headers)
  let body = bytes === undefined ? undefined : Buffer.from(bytes, 'latin1')
  if (parts) {
    const boundary = 'a-boundary-of-the-native-side'
    const lines = parts.map(({ headers: names, string }) => {
      const head = names.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      return `--${boundary}\r\n${head}\r\n${string}\r\n`
    })
    body = Buffer.from(`${lines.join('')}--${boundary}--\r\n`, 'latin1')
    headers['content-type'] = `multipart/form-data; boundary=${boundary}`
  }
  if (body) headers['content-length'] = String(body.byteLength)

  const sent = sendHttp(url, { method, headers, signal })
  const arrived = once(sent, 'response') as Promise<[IncomingMessage]>
  sent.end(body)
  const [incoming] = await arrived
  const received = await buffer(incoming)
  const response: NativeResponse = {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    url,
    bytes: received.toString('latin1'),
  }
  const { location } = response.headers
  if (!redirectStatuses.has(response.status) || location === undefined) return response
  const target = new URL(location, url)
  const kept = request.headers.filter(
    ([name]) => target.host === new URL(url).host || name.toLowerCase() !== 'authorization',
  )
  const next = { ...request, url: target.href, headers: kept }
  if (keepingStatuses.has(response.status) || method === 'HEAD') return sendAsOkHttp(next, signal)
  const { bytes: _bytes, parts: _parts, ...withoutBody } = next
  return sendAsOkHttp({ ...withoutBody, method: 'GET' }, signal)
}
