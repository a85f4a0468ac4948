import { hasProgram } from '../../../../tests/support/needs.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { apiKey } from '../fixtures/s3-examples.ts'

const python = '/usr/bin/python3'
let isThere: boolean | undefined

/** Tells if botocore is on this machine, for `describe.skipIf`. */
export function hasBotocore(): boolean {
  isThere ??= hasProgram(
    'botocore',
    [python, '-c', 'import botocore'],
    'apt-get install -y --no-install-recommends python3-botocore',
  )
  return isThere
}

const version = 'import botocore, sys; sys.exit(not botocore.__version__.startswith("1.29."))'
let isOfTable: boolean | undefined

/** Tells if the botocore of this machine is the one that the table of hosts was written from. */
export function hasBotocoreOfTable(): boolean {
  isOfTable ??= hasProgram(
    'botocore 1.29',
    [python, '-c', version],
    'apt-get install -y --no-install-recommends python3-botocore, on Debian 12',
  )
  return isOfTable
}

/** The Authorization header that botocore gives each request, or the query of the presigned URL. */
export function signWithBotocore(cases: readonly object[]): Promise<string[]> {
  return outputOf('sign.py', cases)
}

/** The URLs that botocore's own client of S3 presigns for an object with a blank in its name, in buckets by ARN. */
export function presignWithClient(buckets: readonly string[]): Promise<string[]> {
  return outputOf('presign.py', { ...apiKey, buckets })
}

/** The endpoints that botocore knows. */
export interface KnownEndpoints {
  readonly version: string
  /** The names of all services, also of those that are not signed this way. */
  readonly services: readonly string[]
  /** The scopes by the URL of an endpoint. */
  readonly scopes: Readonly<Record<string, readonly (readonly [service: string, region: string])[]>>
}

let endpoints: Promise<KnownEndpoints> | undefined

/** Every endpoint that botocore knows, of every service and region. It takes seconds, once. */
export function knownEndpoints(): Promise<KnownEndpoints> {
  return (endpoints ??= outputOf('hosts.py', {}))
}

/** What botocore posts with a policy. */
export interface BotocorePost {
  readonly fields: Readonly<Record<string, string>>
  readonly policy: { readonly expiration: string; readonly conditions: readonly unknown[] }
  /** The signature of the policy of the case. */
  readonly signature: string
}

/** The forms that botocore signs. */
export function postWithBotocore(cases: readonly object[]): Promise<BotocorePost[]> {
  return outputOf('post.py', cases)
}

async function outputOf<Output = string[]>(name: string, input: object): Promise<Output> {
  const script = new URL(name, import.meta.url).pathname
  const { status, stdout, stderr } = await run(python, [script], JSON.stringify(input))
  if (status !== 0 || stderr !== '') throw new Error(stderr)
  // What the script prints has the type that its caller names.
  return JSON.parse(stdout) as Output
}

/** The signature at the end of either. */
export function signatureOf(signed: string): string {
  return signed.slice(signed.lastIndexOf('Signature=') + 'Signature='.length)
}
