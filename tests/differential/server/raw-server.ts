import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type Case, isMisframed } from '../case.ts'
import { ByteReader } from './byte-reader.ts'
import { type OriginName, originNames, type Plan } from './plan.ts'
import { readBody, readHead, type RequestHead } from './read-request.ts'
import { type Origins, paths, respond } from './respond.ts'

/** Servers of three origins, which read HTTP/1.1 byte by byte and keep what they read. */
export interface RawServers {
  readonly origins: Origins
  /** Announces a call: its paths begin with `/${id}`. */
  readonly expect: (id: string, one: Case) => Plan
  /** Forgets a call. */
  readonly forget: (plan: Plan) => void
  /** What belongs to no call. */
  readonly unknown: readonly string[]
  readonly close: () => Promise<void>
}

/** How long a server waits for a request that does not go on, in ms. */
const idleMs = { rightlyFramed: 10_000, misframed: 500, connection: 30_000 }

/** Starts the servers on loopback. */
export async function startRawServers(): Promise<RawServers> {
  const plans = new Map<string, Plan>()
  const over = new Set<string>()
  const unknown: string[] = []
  const open = new Set<Socket>()
  const origins: Record<OriginName, string> = { first: '', covered: '', uncovered: '' }
  const servers: Server[] = []
  for (const name of originNames) {
    const server = createServer((socket) => {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => open.delete(socket))
      new Connection(socket, name, origins, plans, over, unknown)
        .serve()
        .catch((error: unknown) => {
          unknown.push(String(error))
          socket.destroy()
        })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    origins[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    servers.push(server)
  }
  return {
    origins,
    unknown,
    expect(id, one) {
      const plan: Plan = { id, one, arrived: [], begun: [], stray: [], sockets: new Set() }
      plans.set(id, plan)
      return plan
    },
    forget({ id }) {
      plans.delete(id)
      over.add(id)
    },
    async close() {
      for (const socket of open) socket.destroy()
      await Promise.all(servers.map((server) => once(server.close(), 'close')))
    },
  }
}

/** One connection, whose requests are answered one after the other. */
class Connection {
  readonly #socket: Socket
  readonly #origin: OriginName
  readonly #origins: Origins
  readonly #plans: ReadonlyMap<string, Plan>
  readonly #over: ReadonlySet<string>
  readonly #unknown: string[]
  readonly #reader: ByteReader
  #plan: Plan | undefined

  constructor(
    socket: Socket,
    origin: OriginName,
    origins: Origins,
    plans: ReadonlyMap<string, Plan>,
    over: ReadonlySet<string>,
    unknown: string[],
  ) {
    this.#socket = socket
    this.#origin = origin
    this.#origins = origins
    this.#plans = plans
    this.#over = over
    this.#unknown = unknown
    this.#reader = new ByteReader(socket)
  }

  async serve(): Promise<void> {
    while (!this.#socket.destroyed) {
      if (!(await this.#serveRequest())) break
    }
    this.#socket.destroy()
  }

  async #serveRequest(): Promise<boolean> {
    const head = await readHead(this.#reader, idleMs.connection).catch((error: unknown) => {
      ;(this.#plan?.stray ?? this.#unknown).push(`no request: ${String(error)}`)
    })
    if (!head) return false
    const [, id = '', path = ''] = /^\/(\w+)(\/\w+)/.exec(head.target) ?? []
    const plan = this.#plans.get(id)
    if (!plan) {
      // A bare client that never settled may go on when its case is over.
      if (!this.#over.has(id)) this.#unknown.push(`${head.method} ${head.target}`)
      return false
    }
    this.#adopt(plan)
    plan.begun.push(path)
    if (path === paths.smuggled) plan.stray.push(`a request of a body: ${head.method}`)
    const reading = this.#readBody(plan, path, head)
    try {
      const responding = respond(this.#socket, plan, path, head, this.#origins, reading)
      const [, isOpen] = await Promise.all([reading, responding])
      return isOpen
    } catch (error) {
      if (error instanceof IncompleteBody) return false
      throw error
    }
  }

  async #readBody(plan: Plan, path: string, head: RequestHead): Promise<void> {
    const wait = isMisframed(plan.one) ? idleMs.misframed : idleMs.rightlyFramed
    const body = await readBody(this.#reader, head, wait)
    plan.arrived.push({ ...head, ...body, path, origin: this.#origin })
    if (!body.isComplete) throw new IncompleteBody()
  }

  #adopt(plan: Plan): void {
    this.#plan = plan
    plan.sockets.add(this.#socket)
    this.#socket.once('close', () => plan.sockets.delete(this.#socket))
  }
}

class IncompleteBody extends Error {}
