import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { createEmulator, type EmulatorOptions } from '@svc/emulator'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { runProgram } from '../testing.ts'
import { emptyFolder } from './folder.ts'
import { platformDouble, usual } from './platforms.ts'
import { proxyEnvironment, proxyFlags, proxySecret } from './proxy-environment.ts'

/** The header that lets a request in. */
export const secretHeader = { 'x-svc-proxy-secret': proxySecret } as const

/** The outside of a proxy within this process. */
export interface ProxyOutside {
  readonly baseUrl: string
  readonly flags?: readonly string[]
  /** Overrides variables; an empty one counts as none. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs `svc-auth proxy` within this process, on a free port unless the flags say otherwise. */
export async function openProxy({ baseUrl, flags = [], env = {} }: ProxyOutside) {
  const ending = new AbortController()
  const output = { stdout: '', stderr: '' }
  const stdout = new PassThrough().setEncoding('utf8')
  const stderr = new PassThrough().setEncoding('utf8')
  stdout.on('data', (text: string) => (output.stdout += text))
  stderr.on('data', (text: string) => (output.stderr += text))
  const home = await emptyFolder()
  const ended = runProgram(['proxy', ...proxyFlags(flags)], {
    env: {
      ...proxyEnvironment(baseUrl),
      ...env,
    },
    stdin: Readable.from([]),
    stdout,
    stderr,
    platform: platformDouble(usual(env, home)),
    clock: Date.now,
    signal: ending.signal,
  })
  const end = (): Promise<number> => {
    ending.abort()
    return ended
  }
  onTestFinished(async () => void (await end()))
  await Promise.race([once(stdout, 'data'), ended])
  const url = /^(?:listening on |{"listening":")([^\s"]+)/m.exec(output.stdout)?.[1] ?? ''
  return {
    url,
    port: Number(/:(\d+)$/.exec(url)?.[1]),
    exitCode: ended,
    end,
    notes: () => output.stderr,
    first: () => output.stdout.split('\n', 1).join(''),
    log: () => output.stdout.split('\n').slice(1, -1),
    stdout,
    /** Resolves to the lines of the log once there are as many. */
    logged: async (count: number) => {
      while (output.stdout.split('\n').length < count + 2) await once(stdout, 'data')
      return output.stdout.split('\n').slice(1, -1)
    },
  }
}

/** Starts an emulator and a proxy for it. */
export async function openEmulated(
  outside: Partial<ProxyOutside> & { readonly emulator?: EmulatorOptions } = {},
) {
  const emulator = createEmulator(outside.emulator)
  const service = await emulator.listen()
  onTestFinished(() => service.close())
  return { emulator, service, ...(await openProxy({ baseUrl: service.baseUrl, ...outside })) }
}

/** Starts a server in place of the service, and a proxy for it. Only signed routes work. */
export async function openInFrontOf(
  listener: RequestListener,
  { flags, path = '' }: { readonly flags?: readonly string[]; readonly path?: string } = {},
) {
  const server = await listenOnLoopback(createServer(listener))
  onTestFinished(() => server.close())
  const baseUrl = server.url.href.replace(/\/$/, '') + path
  return { server, ...(await openProxy({ baseUrl, ...(flags && { flags }) })) }
}

/** Sends bytes as they are and returns everything that comes back until the proxy closes the connection. */
export async function sendRaw(port: number, ...pieces: readonly (string | Uint8Array)[]) {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (data: string) => (text += data))
  socket.on('error', () => {})
  for (const piece of pieces) socket.write(piece)
  await new Promise((resolve) => {
    socket.once('close', resolve)
  })
  return text
}
