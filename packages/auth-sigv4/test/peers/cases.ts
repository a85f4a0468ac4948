import type { ApiKey } from '@svc/auth-sigv4'
import fc from 'fast-check'
import { awkwardBody, awkwardHeaderValue, awkwardPath, awkwardQuery } from './awkward.ts'

/** A request that every signer is asked to sign. */
export interface Case {
  /** `header` for an `Authorization` header, else for how many seconds a presigned URL is good. */
  readonly signedIn: 'header' | number
  readonly service: 's3' | 'service'
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  readonly payload: 'auto' | 'unsigned'
  readonly apiKey: ApiKey
  readonly at: number
}

/** Headers of the caller's that are signed beyond the default. */
export const signHeaders: readonly string[] = ['cache-control', 'date', 'x-trace']

const headerNames = [
  'x-amz-meta-a',
  'x-amz-meta-a-b',
  'x-amz-meta-b',
  'x-amz-acl',
  'x-trace',
  'cache-control',
  'range',
  'if-match',
  'if-none-match',
  'content-md5',
  'content-type',
] as const

const headers = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...headerNames), awkwardHeaderValue, { maxKeys: 4 }),
    fc.oneof(
      { weight: 24, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ date: 'Fri, 24 May 2013 00:00:00 GMT' }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('UNSIGNED-PAYLOAD', 'ab'.repeat(32)).map((hash) => ({
          'x-amz-content-sha256': hash,
        })),
      },
    ),
  )
  .map(([many, rare]): Record<string, string> => Object.assign(many, rare))

const standardMethods = ['GET', 'GET', 'HEAD', 'PUT', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']

const query = fc.oneof(
  { weight: 120, arbitrary: awkwardQuery },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1001, max: 1100 })
      .map((count) => `?${Array.from({ length: count }, (_, index) => `k${index}=v`).join('&')}`),
  },
)

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    signedIn: fc.oneof(fc.constant('header' as const), fc.integer({ min: 1, max: 604_800 })),
    service: fc.constantFrom('s3', 's3', 'service'),
    origin: fc.constantFrom(
      'https://examplebucket.s3.amazonaws.com',
      'https://search.example.com:8443',
      'http://127.0.0.1:9000',
    ),
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...standardMethods) },
      { weight: 1, arbitrary: fc.constantFrom('PROPFIND', 'mkcol', 'Report') },
    ),
    path: awkwardPath,
    query,
    headers,
    body: awkwardBody,
    payload: fc.constantFrom('auto', 'auto', 'auto', 'unsigned'),
    apiKey: fc.record({
      accessKeyId: fc.constantFrom('AKIDEXAMPLE', 'AKIAIOSFODNN7EXAMPLE', "key+with/'*"),
      secretAccessKey: fc.stringMatching(/^[!-~]{1,60}$/),
      sessionToken: fc.option(fc.stringMatching(/^[!-~]{1,40}$/), { nil: undefined }),
    }),
    at: fc.integer({ min: 946_684_800, max: 4_102_444_799 }).map((seconds) => seconds * 1000),
  })
  .map(withoutNeedlessBody)

function withoutNeedlessBody(drawn: Case): Case {
  const takesBody = !/^(?:GET|HEAD)$/.test(drawn.method) && drawn.signedIn === 'header'
  return takesBody ? drawn : { ...drawn, body: undefined }
}

/** The same cases in each run. */
export function generatedCases(count: number): readonly Case[] {
  return fc.sample(anyCase, { numRuns: count, seed: 20_130_524 })
}
