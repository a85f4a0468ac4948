import { describe, expect, test } from 'vitest'
import type { MeasuredResults } from '../src/measured-results.ts'
import { targetsSection } from '../src/targets/section.ts'

const size = (bytes: number) => ({
  platform: 'browser' as const,
  atStartBytes: bytes,
  allBytes: bytes,
})

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
            size: size(3999),
            weights: [{ file: 'auth-sigv4/heavy.js', bytes: 1500 }],
          },
          {
            imported: { specifier: '@svc/auth-token', names: [] },
            importRounds: [1],
            size: size(4000),
            weights: [],
          },
        ],
      },
    }
    const lines = targetsSection(results).split('\n')
    expect(lines.find((line) => line.includes('auth-sigv4'))).toMatch(
      /\| met \| heavy\.js 1\.50 kB/,
    )
    expect(lines.find((line) => line.includes('auth-token'))).toMatch(/\| \*\*missed\*\* \|/)
    expect(lines.find((line) => line.includes('dependencies'))).toMatch(/left-pad \| \*\*missed/)
  })

  test('holds us against the fastest way in which a peer does it', () => {
    const performance = (contender: string, role: 'ours' | 'peer', microseconds: number) => ({
      contender,
      role,
      rounds: [microseconds],
    })
    const results: MeasuredResults = {
      signing: [
        {
          runtime: 'Node 24',
          version: '24.0.0',
          contests: [
            {
              case: 'GET with a query',
              performances: [
                performance('authorize, native', 'ours', 1),
                performance('aws4fetch', 'peer', 50),
                performance('aws4fetch, body unsigned', 'peer', 34),
                { ...performance('aws4', 'peer', 9), refused: 'SignatureDoesNotMatch' },
              ],
            },
          ],
        },
      ],
    }
    const section = targetsSection(results)
    expect(section).toMatch(
      /authorize, native: GET .* aws4fetch \| ≥ 35 × \| 34\.0 × \| \*\*missed/,
    )
    expect(section).not.toContain('against aws4 ')
  })
})
