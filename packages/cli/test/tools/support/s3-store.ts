import { dirname, join } from 'node:path'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, onTestFinished } from 'vitest'
import { placeholderKey, proxySecret } from '../../support/proxy-environment.ts'

/** A key pair. */
export interface KeyPair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** An object store for one test, and a proxy for it. Tools have the proxy's placeholder key, and none of the store's. */
export interface StartedStore {
  readonly proxyUrl: string
  readonly serviceUrl: string
  readonly serviceKey: KeyPair
  /** A bucket that is empty. */
  readonly bucket: string
  /** What arrived, if the store shows it. One that does not takes no key but its own. */
  readonly requests?: readonly ArrivedRequest[]
}

/** A request as the store got it. */
export interface ArrivedRequest {
  readonly auth: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** A kind of object store that tools are tried with. */
export interface StoreKind {
  /** Starts it for a test, which also ends it. */
  readonly start: () => Promise<StartedStore>
  /** The error for a body with a trailer, if it takes none. */
  readonly trailerRefusal?: { readonly code: string; readonly status: number }
}

/** When the SDK computes a checksum: wherever it can, or where S3 wants one. */
export type ChecksumPolicy = 'WHEN_SUPPORTED' | 'WHEN_REQUIRED'

/** Creates a client of the SDK, which sends each request once. */
export function createSdkClient(
  endpoint: string,
  credentials: KeyPair,
  policy: ChecksumPolicy = 'WHEN_SUPPORTED',
): S3Client {
  const client = new S3Client({
    endpoint,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
    requestChecksumCalculation: policy,
    // It would warn of each refusal.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  onTestFinished(() => client.destroy())
  return client
}

/** Reads an object with a client of the SDK. */
export async function readObject(client: S3Client, Bucket: string, Key: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

/** Expects that everything arrived signed with the key of the service. */
export function expectSigned({ requests, serviceKey: { accessKeyId } }: StartedStore): void {
  if (!requests) return
  expect(requests.length).toBeGreaterThan(0)
  for (const { auth, headers } of requests) {
    expect(auth).toMatchObject({ scheme: 'sigv4', ok: true, accessKeyId })
    expect(JSON.stringify(headers)).not.toContain(placeholderKey.accessKeyId)
  }
}

/** Expects headers of the last request that arrived, where the store shows it; `undefined` is one that is not there. */
export function expectLastHeaders(
  { requests }: StartedStore,
  expected: Readonly<Record<string, unknown>>,
): void {
  if (!requests) return
  const { headers = {} } = requests.at(-1) ?? {}
  const shown = Object.keys(expected).map((name) => [name, headers[name]])
  expect(Object.fromEntries(shown)).toEqual(expected)
}

/** Expects that the store has an object with these bytes, as the proxy and the store itself return it. */
export async function expectStored(
  store: StartedStore,
  key: string,
  data: Uint8Array,
): Promise<void> {
  for (const [url, pair] of [
    [store.proxyUrl, placeholderKey],
    [store.serviceUrl, store.serviceKey],
  ] as const) {
    const read = await readObject(createSdkClient(url, pair), store.bucket, key)
    expect(read.equals(data)).toBe(true)
  }
  expectSigned(store)
}

/** Expects that an object arrived in parts, byte for byte. */
export async function expectUploaded(
  store: StartedStore,
  key: string,
  data: Uint8Array,
): Promise<void> {
  const response = await fetch(`${store.proxyUrl}/${store.bucket}/${key}`, {
    headers: { 'x-svc-proxy-secret': proxySecret },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('etag')).toMatch(/^"[\da-f]{32}-[2-9]"$/)
  expect(Buffer.from(await response.arrayBuffer()).equals(data)).toBe(true)
  await expectStored(store, key, data)
}

/** The least size of a part that is not the last. */
export const minPart = 5 * 1024 * 1024

/** Two parts: one of the least size, and a rest. */
export const large = randomBytes(minPart + 300_000)

/** Keys that a tool or a store may encode in another way. */
export const allKeys = [
  'plain.txt',
  'a b',
  'a+b',
  "it's (1)!",
  '100%',
  'a%20b',
  'ünï/你好',
  'a=b&c',
  '~x/$y,z',
]

/** Sorts names as texts. */
export const sorted = (names: readonly unknown[]): readonly string[] => names.map(String).toSorted()

/** Writes a file of random bytes for each key, and returns the bytes by key. */
export async function writeFiles(
  folder: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const key of keys) {
    const data = randomBytes(100_000)
    await mkdir(dirname(join(folder, key)), { recursive: true })
    await writeFile(join(folder, key), data)
    files.set(key, data)
  }
  return files
}

/** Expects that a folder has these files. */
export async function expectFiles(
  folder: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<void> {
  for (const [key, data] of files) {
    expect((await readFile(join(folder, key))).equals(data)).toBe(true)
  }
}
