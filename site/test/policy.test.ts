import { describe, expect, test } from 'vitest'
import { policyOf, scriptHashes, withPolicy } from '../src/output/policy.ts'
import { builtPages } from './support/built-pages.ts'

const pages = builtPages()
const policyIn = (html: string): string =>
  /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1] ?? ''

describe('the policy', () => {
  test('is that of every page, ahead of everything that could run', () => {
    const policies = new Set(pages.map(({ html }) => policyIn(html)))
    const policy = policyOf(pages.flatMap(({ html }) => scriptHashes(html)))
    expect([...policies].sort()).toEqual([policy, `${policy}; connect-src 'self'`])
    for (const { html } of pages) {
      expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<script'))
    }
  })

  test('allows the files of this host, and two scripts by their hashes', () => {
    const policy = policyIn(pages.find(({ path }) => path === 'index.html')?.html ?? '').replaceAll(
      /'sha256-[\w+/=]{44}'/g,
      'hash',
    )
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self' hash hash",
      "style-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "object-src 'none'",
      "form-action 'none'",
    ])
  })

  test.each(['<p style="color: red">', '<style>p {}</style>', '<p onclick="run()">'])(
    'ends a build that would break it: %s',
    (html) => {
      expect(() => withPolicy(html, '')).toThrow('the policy forbids')
    },
  )
})
