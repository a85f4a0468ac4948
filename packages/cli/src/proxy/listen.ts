import { once } from 'node:events'
import { chmod, lstat, rm, stat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect, type ListenOptions } from 'node:net'
import { dirname, resolve } from 'node:path'
import { errorCode, UsageError } from '../exit.ts'
import { type Platform, privateModes } from '../platform/platform.ts'

/** The place where the proxy listens: a port of loopback, or a Unix socket. */
export type ListenAddress = { readonly port: number } | { readonly socket: string }

/** Begins to listen. Resolves to `http://127.0.0.1:8377`, or to `unix:` and the path of the socket. */
export async function listen(
  server: Server,
  address: ListenAddress,
  platform: Platform,
): Promise<string> {
  if ('socket' in address) return listenOnSocket(server, address.socket, platform)
  const { port } = address
  await begin(server, { port, host: '127.0.0.1' }, `--port ${port}`)
  const bound = server.address()
  return `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : port}`
}

async function listenOnSocket(server: Server, path: string, platform: Platform): Promise<string> {
  await assertPrivateFolder(path, platform)
  await removeStale(path)
  await begin(server, { path }, `--socket ${path}`)
  try {
    await chmod(path, privateModes.file)
  } catch (error) {
    server.close()
    throw error
  }
  return `unix:${resolve(path)}`
}

// Whoever may write there could put another socket in its place; and until its mode is set, the folder alone
// keeps others out.
async function assertPrivateFolder(path: string, platform: Platform): Promise<void> {
  const folder = dirname(resolve(path))
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory()) throw new UsageError(`--socket ${path}: there is no folder ${folder}`)
  if (platform.usersOf(found) === 'this user') return
  throw new UsageError(
    `--socket ${path}: others can use the folder ${folder}; make one of your own, with mkdir -m 700`,
  )
}

/** Removes the socket of a proxy that was killed, and nothing else. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return
  if (!found.isSocket()) throw new UsageError(`--socket ${path} is there, and is no socket`)
  const socket = connect(path)
  const isAlive = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  if (isAlive) throw new UsageError(`--socket ${path}: another process listens there`)
  await rm(path)
}

async function begin(server: Server, options: ListenOptions, flag: string): Promise<void> {
  server.listen(options)
  await once(server, 'listening').catch((cause: unknown) => {
    const code = errorCode(cause)
    const problem =
      code === 'EADDRINUSE'
        ? 'is taken by another process; --port 0 takes a free one'
        : `cannot be listened on (${code})`
    throw new UsageError(`${flag} ${problem}`, { cause })
  })
  // A connection that cannot be accepted, for want of descriptors, is its client's to try again.
  server.on('error', () => {})
}
