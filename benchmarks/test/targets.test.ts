import { describe, expect, test } from 'vitest'
import type { MeasuredResults } from '../src/measured-results.ts'
import { countTargets, targetsSection } from '../src/targets/section.ts'

const mebibyte = 1024 ** 2

describe('the table of targets', () => {
  test('says nothing of what was not measured', () => {
    expect(targetsSection({})).toBe('')
    expect(countTargets({})).toEqual({ met: 0, missed: 0 })
  })

  test('holds bytes against a bound, and names what is in the way of the aim', () => {
    const cost = (name: string, bytes: number) => ({
      name,
      imports: {},
      platform: 'any' as const,
      bytes,
      weights: [{ file: 'auth-sigv4/heavy.ts', bytes: 1500 }],
    })
    const start = {
      costs: [
        cost('token + authFetch', 20_001),
        cost('sigv4 + authFetch', 15_000),
        cost('sigv4 + light authFetch', 8000),
      ],
      imports: {},
      functions: {},
      disk: {},
    }
    const section = targetsSection({ start })
    expect(section).toMatch(
      /bytes: token \+ authFetch \| ≤ 20\.0 kB \| 20\.0 kB \| \*\*missed\*\* \| 18\.0 kB \| heavy\.ts 1\.50 kB \|/,
    )
    expect(section).toMatch(
      /sigv4 \+ authFetch \| ≤ 15\.0 kB \| 15\.0 kB \| met \| 13\.0 kB \| heavy/,
    )
    expect(section).toMatch(/light authFetch \| ≤ 10\.0 kB \| 8\.00 kB \| met \| 8\.00 kB \|  \|/)
    expect(countTargets({ start })).toEqual({ met: 2, missed: 1 })
  })

  test('holds signers against the floor, and a large body against copying and hashing it', () => {
    const performance = (contender: string, role: 'ours' | 'floor', us: number) => ({
      contender,
      role,
      rounds: [us],
    })
    const signing: MeasuredResults['signing'] = [
      {
        runtime: 'Node 24',
        version: '24.0.0',
        contests: [
          {
            case: 'GET with a query',
            performances: [
              performance('bare SHA-256 and HMAC', 'floor', 10),
              performance('authorize', 'ours', 17),
              { ...performance('light authFetch', 'ours', 20), refused: 'SignatureDoesNotMatch' },
            ],
          },
          {
            case: 'PUT of 1 MiB',
            performances: [
              performance('bare SHA-256 and HMAC', 'floor', 10),
              performance('copying and hashing the body once', 'floor', 12),
              performance('authFetch', 'ours', 15),
            ],
          },
        ],
      },
    ]
    const section = targetsSection({ signing })
    expect(section).toMatch(
      /authorize, against bare SHA-256 and HMAC \| ≤ 1\.70 × \| 1\.70 × \| met/,
    )
    expect(section).toMatch(/copying and hashing .+ \| ≤ 1\.10 × \| 1\.25 × \| \*\*missed/)
    expect(section).not.toContain('light')
  })

  test('compares the CPU time of a client with that of its bare one', () => {
    const request = (name: string, role: 'bare' | 'ours', cpuPerRequestUs: number) => ({
      name,
      role,
      client: 'got' as const,
      credential: 'signature' as const,
      rounds: [{ requestsPerSecond: 1, cpuPerRequestUs }],
    })
    const section = targetsSection({
      requests: [
        request('bare got, signature', 'bare', 100),
        request('authGot, signature', 'ours', 136),
      ],
    })
    expect(section).toMatch(/authGot, signature \| ≤ 1\.35 × \| 1\.36 × \| \*\*missed/)
  })

  test('takes the empty module off an import, and fetch alone off the memory', () => {
    const section = targetsSection({
      memory: {
        uploadBytes: 1024 * mebibyte,
        upload: { authFetch: [50 * mebibyte, 9, 20 * mebibyte], 'fetch alone': [0, 0, 90] },
        underWay: { authFetch: [30 * mebibyte], 'fetch alone': [4 * mebibyte] },
        sessionBytes: 1,
      },
      start: {
        costs: [],
        imports: { 'data:text/javascript,': [1], '@svc/auth-token': [4.5] },
        functions: { 'data:text/javascript,': [1], aws4fetch: [2], 'aws-auth': [8.6] },
        disk: { '@svc/auth-token': { bytes: 400_001, files: 45 } },
      },
    })
    expect(section).toMatch(/1 GiB streamed.+ \| ≤ 24\.0 MB \| 20\.0 MB \| met/)
    expect(section).toMatch(/10,000 requests under way.+ \| 26\.0 MB \| \*\*missed/)
    expect(section).toMatch(/import of @svc\/auth-token.+ \| ≤ 4\.0 ms \| 3\.5 ms \| met/)
    expect(section).toMatch(/import of a function: .+ \| ≤ 6\.0 ms \| 6\.1 ms \| \*\*missed/)
    expect(section).toMatch(/on disk .+ \| ≤ 400 kB \| 400 kB \| \*\*missed/)
    expect(section).toMatch(/on disk .+ \| ≤ 45 files \| 45 files \| met/)
    expect(section).not.toMatch(/@svc\/auth-sigv4|with awsCredentials/)
  })
})
