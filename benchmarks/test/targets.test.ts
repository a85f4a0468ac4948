import { describe, expect, test } from 'vitest'
import type { MeasuredResults } from '../src/measured-results.ts'
import { targetsSection } from '../src/targets/section.ts'

const size = (bytes: number) => ({ platform: 'browser' as const, bytes })

describe('the table of targets', () => {
  test('says nothing of what was not measured', () => {
    expect(targetsSection({})).toBe('')
  })

  test('tells a target that is met from one that is missed', () => {
    const results: MeasuredResults = {
      start: {
        emptyRounds: [1],
        foreignDependencies: ['left-pad'],
        costs: [
          {
            imported: { specifier: '@svc/auth-sigv4', names: [] },
            importRounds: [1],
            size: size(5399),
            weights: [{ file: 'auth-sigv4/heavy.js', bytes: 1500 }],
          },
          {
            imported: { specifier: '@svc/auth-token', names: [] },
            importRounds: [1],
            size: size(6801),
            weights: [],
          },
        ],
      },
    }
    const lines = targetsSection(results).split('\n')
    expect(lines.find((line) => line.includes('auth-sigv4 in a browser'))).toMatch(
      /\| met \| heavy\.js 1\.50 kB/,
    )
    expect(lines.find((line) => line.includes('auth-token in a browser'))).toMatch(
      /\| \*\*missed\*\* \|/,
    )
    expect(lines.find((line) => line.includes('dependencies'))).toMatch(/left-pad \| \*\*missed/)
  })

  const performance = (contender: string, role: 'ours' | 'peer' | 'floor', us: number) => ({
    contender,
    role,
    rounds: [us],
  })
  const signing = (
    runtime: string,
    request: string,
    ...rest: ReturnType<typeof performance>[]
  ) => ({
    runtime,
    version: '24.0.0',
    contests: [{ case: request, performances: rest }],
  })

  test('holds the signer against the floor, and authFetch against the signer', () => {
    const section = targetsSection({
      signing: [
        signing(
          'Node 24',
          'GET with a query',
          performance('bare SHA-256 and HMAC', 'floor', 10),
          performance('authorize, native', 'ours', 17),
          performance('authFetch, native', 'ours', 20),
        ),
      ],
    })
    expect(section).toMatch(
      /authorize, native, against bare SHA-256 and HMAC \| ≤ 1\.6 × \| 1\.70 × \| \*\*missed/,
    )
    expect(section).toMatch(
      /authFetch, native, against authorize, native \| ≤ 1\.3 × \| 1\.18 × \| met/,
    )
  })

  test('tells where a peer is ahead, a refused one left out', () => {
    const section = targetsSection({
      signing: [
        signing(
          'Deno',
          'POST of 1 KB',
          performance('authorize, native', 'ours', 10),
          performance('aws4', 'peer', 9),
          performance('aws4fetch', 'peer', 90),
          {
            ...performance('@smithy/signature-v4', 'peer', 1),
            refused: 'SignatureDoesNotMatch',
          } as never,
        ),
      ],
    })
    expect(section).toMatch(
      /behind in 1 of 2 \| \*\*missed\*\* \| the closest: Deno, POST of 1 KB, aws4 0\.900 ×/,
    )
  })

  test('compares the CPU time of a client with that of its bare one', () => {
    const request = (name: string, isBare: boolean, cpuPerRequestUs: number) => ({
      name,
      isBare,
      client: 'fetch' as const,
      credential: 'token' as const,
      rounds: [{ requestsPerSecond: 1, cpuPerRequestUs, p50Ms: 1, p99Ms: 1 }],
    })
    const section = targetsSection({
      requests: [
        request('fetch with the same headers, token', true, 100),
        request('authFetch, token', false, 103),
        request('authFetch, selector to token', false, 106),
      ],
    })
    expect(section).toMatch(/authFetch, token: CPU .+ \| ≤ 1\.04 × \| 1\.03 × \| met/)
    expect(section).toMatch(/the selector.+ \| ≤ 0\.02 more \| 0\.0300 \| \*\*missed/)
  })

  test('holds the slowest of a hundred requests against that of bare fetch', () => {
    const one = (name: string, isBare: boolean, p99Ms: number) => ({
      name,
      isBare,
      credential: 'signature' as const,
      rounds: [{ p50Ms: 1, p99Ms }],
    })
    const latencies = [one('fetch', true, 10), one('authFetch, signature', false, 12)]
    expect(targetsSection({ latency: { requestsPerSecond: 1, latencies } })).toMatch(
      /≤ 1\.1 × \| 1\.20 × \| \*\*missed\*\* \| authFetch, signature: 1\.20 ×/,
    )
  })

  test('takes the empty module off an import, and the bare client off the memory', () => {
    const growth = (
      who: 'authFetch, selector' | 'the thinnest wrapper' | 'fetch alone',
      mib: number,
    ) => ({
      what: 'while 10,000 are under way (heap)',
      who,
      rounds: [mib * 1024 ** 2],
    })
    const left = (who: 'authFetch, selector' | 'fetch alone', bytesPerRequest: number) => ({
      what: 'after 10 requests in process (heap)',
      who,
      rounds: [1],
      bytesPerRequest,
    })
    const section = targetsSection({
      memory: {
        uploadBytes: 1024 ** 3,
        growths: [
          { what: '1 GiB streamed', who: 'authFetch, signed chunks', rounds: [5e7, 1e7, 2e7] },
          { what: '1 GiB streamed', who: 'fetch alone', rounds: [0, 0, 9e7] },
          left('authFetch, selector', 3.5),
          left('fetch alone', 2.25),
          growth('authFetch, selector', 15),
          growth('the thinnest wrapper', 7),
          growth('fetch alone', 4),
        ],
      },
      start: {
        emptyRounds: [1],
        foreignDependencies: [],
        costs: [
          {
            imported: { specifier: '@svc/auth-token', names: [] },
            importRounds: [4.5],
            size: size(6800),
            weights: [],
          },
        ],
      },
    })
    expect(section).toMatch(/1 GiB streamed.+ \| 19\.1 MiB \| met/)
    expect(section).toMatch(/1 000 000 requests.+ \| ≤ 1 byte \| 1\.25 bytes \| \*\*missed/)
    expect(section).toMatch(/under way, beyond bare fetch \| ≤ 16 MiB \| 11\.0 MiB \| met/)
    expect(section).toMatch(
      /≤ 2 × the thinnest wrapper \| 11\.0 MiB \| \*\*missed\*\* \| the thinnest wrapper: 3\.00 MiB/,
    )
    expect(section).toMatch(/import of @svc\/auth-token .+ \| ≤ 3 ms \| 3\.50 ms \| \*\*missed/)
    expect(section).toMatch(/@svc\/auth-token in a browser.+ \| ≤ 6\.8 kB \| 6\.80 kB \| met/)
  })
})
