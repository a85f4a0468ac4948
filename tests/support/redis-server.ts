import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasProgram } from './needs.ts'

/** A Redis of its own, on loopback, which keeps nothing. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Ends the server at once; what it kept is gone. */
  stop(): Promise<void>
}

/** Tells if the program is on this machine, for `describe.skipIf`. */
export function hasRedisServer(): boolean {
  return hasProgram(
    'redis-server',
    ['redis-server', '--version'],
    'apt-get install -y --no-install-recommends redis-server',
  )
}

/**
 * Starts a server and waits until it responds.
 *
 * @param settings.port - That of a server that was stopped; by default a free one.
 * @param settings.args - What is added to the command line.
 */
export async function startRedis(
  settings: { readonly port?: number; readonly args?: readonly string[] } = {},
): Promise<RedisServer> {
  const port = settings.port ?? (await freePort())
  const folder = await mkdtemp(join(tmpdir(), 'redis-server-'))
  const onLoopback = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder]
  const inMemory = ['--save', '', '--appendonly', 'no', '--loglevel', 'warning']
  const child = spawn('redis-server', [...onLoopback, ...inMemory, ...(settings.args ?? [])], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const ended = once(child, 'close')
  // A run that ends in the middle, such as by a failed hook, leaves no server behind.
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)

  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const isUp = await Promise.race([ended.then(() => false), responds(port, 10_000)])
  if (isUp) return { port, url: `redis://127.0.0.1:${port}`, stop }
  await stop()
  throw new Error(`redis-server did not start on port ${port}: ${output.join('')}`)
}

/**
 * A port that nothing listens on. It is below those that the system hands out, from which a client
 * could take it while a server restarts, or even connect to itself.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  server.close()
  await once(server, 'close')
  return port
}

async function responds(port: number, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs
  while (Date.now() < end) {
    if ((await ping(port)).startsWith('+PONG')) return true
    await sleep(10)
  }
  return false
}

function ping(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const done = (reply: string): void => {
      socket.destroy()
      resolve(reply)
    }
    socket.setEncoding('utf8').setTimeout(1000, () => done(''))
    socket.once('data', done).once('error', () => done(''))
  })
}
