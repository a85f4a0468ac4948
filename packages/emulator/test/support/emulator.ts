import { request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { LoginResponse } from '@svc/types'
import { createEmulator, type EmulatorOptions, type EmulatorUser } from '@svc/emulator'
import { sign, testAt, testKey, type SignInput } from './sign.ts'

/** The users of the tests: a tenant's primary user, and two users of one name under two tenants. */
const users: readonly EmulatorUser[] = [
  {
    username: 'primary',
    password: 'primary-password',
    uid: 'tenant-1',
    groups: [{ id: 'g1', name: 'One', permissions: [{ Actions: ['*'], Condition: null }] }],
  },
  {
    username: 'sub',
    password: 'sub-password-1',
    parentUid: 'tenant-1',
    groups: [{ id: 'g2', name: 'Two', permissions: [] }],
  },
  { username: 'sub', password: 'sub-password-2', parentUid: 'tenant-2' },
]

/** The headers that section 4.1 of the interface shows. */
export const loginHeaders = {
  accept: 'application/json',
  'content-type': 'application/json',
  'x-svc-route-token': 'login',
}

/** Types the response to a good login. */
export function readLogin(response: LoginResponse): LoginResponse {
  return response
}

/** Starts an emulator that listens, with a clock that the test turns. Closed when the test ends. */
export async function listening(options: EmulatorOptions = {}) {
  const time = { now: testAt }
  const emulator = createEmulator({
    users,
    apiKeys: [testKey],
    clock: () => time.now,
    ...options,
  })
  const server = await emulator.listen()
  onTestFinished(() => server.close())

  const login = (body: unknown, headers: Record<string, string> = loginHeaders) =>
    fetch(new URL('/user/login', server.url), {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    emulator,
    server,
    time,
    login,
    /** Logs in and gives the token. */
    token: async (body: object = { Username: 'primary', Password: 'primary-password' }) => {
      const response = await login(body)
      return readLogin(await response.json()).Token
    },
    groups: (token: string, headers: Record<string, string> = {}) =>
      fetch(new URL('/user/groups', server.url), {
        headers: { 'x-svc-route-token': 'login', 'x-svc-security-token': token, ...headers },
      }),
    /** Signs and sends the bytes of `input` as they stand. */
    signed: (input: SignInput) => send(server.url, sign({ host: server.url.host, ...input })),
  }
}

/** A response as it came back on the socket. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Sends request line and headers as they are; fetch would rewrite both. */
export function send(
  url: URL,
  raw: {
    readonly method: string
    readonly target: string
    readonly rawHeaders: readonly (readonly [name: string, value: string])[]
    readonly body?: Uint8Array
  },
): Promise<RawResponse> {
  // With a list of headers node adds no length of its own.
  const isChunked = raw.rawHeaders.some(([name]) => /^transfer-encoding$/i.test(name))
  const length =
    raw.body === undefined || isChunked
      ? []
      : [['content-length', String(raw.body.byteLength)] as const]
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: url.hostname,
        port: url.port,
        method: raw.method,
        path: raw.target,
        headers: [...raw.rawHeaders, ...length].flat(),
        agent: false,
        setHost: false,
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(raw.body)
  })
}
