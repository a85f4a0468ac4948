import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { authAxios, type AuthAxiosOptions } from '@svc/auth-hooks/axios'
import type { AuthScheme } from '@svc/types'
import axios, { type AxiosInstance } from 'axios'
import axios17 from 'axios17'
import { onTestFinished } from 'vitest'

/** One copy of axios with one of its adapters. */
export interface AxiosClient {
  readonly axios: typeof axios
  readonly adapter: 'fetch' | 'http'
  /** An instance that is authenticated. */
  create(scheme: AuthScheme, options?: AuthAxiosOptions): AxiosInstance
}

// What the tests use of axios is the same since 1.7; its types have only grown.
export const copies: [name: string, copy: typeof axios][] = [
  ['axios', axios],
  ['axios 1.7', axios17 as unknown as typeof axios],
]

export const clients: [name: string, client: AxiosClient][] = copies.flatMap(([name, copy]) =>
  (['http', 'fetch'] as const).map((adapter): [string, AxiosClient] => [
    `${name} over ${adapter}`,
    {
      axios: copy,
      adapter,
      create: (scheme, options) =>
        copy.create(authAxios(scheme, { adapter, axios: copy, ...options })),
    },
  ]),
)

/** Resolves to the error that a promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw new Error('an error was expected')
  return error
}

/** Reads a stream of Node's or of the web platform. */
export async function readStream(data: unknown): Promise<string> {
  if (data instanceof Readable || data instanceof ReadableStream) return text(data)
  throw new Error('there is no stream')
}

/** A server of one's own, for what the recording one does not do. */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A TCP server that listens has an address object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
