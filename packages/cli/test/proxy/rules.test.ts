import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openEmulated, secretHeader } from '../support/open-proxy.ts'
import { readRules } from '../testing.ts'

type Headers = readonly (readonly [name: string, value: string])[]

/** Tells if a request such as `GET /V1/a?b` is allowed. */
function allows(allow: readonly string[], line: string, rawHeaders: Headers = []): boolean {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', query = ''] = target.split('?')
  try {
    readRules(allow, false)({ method, path, query, rawHeaders })
    return true
  } catch (error) {
    if (Object(error).status === 403) return false
    throw error
  }
}

test.each<[rule: string, allowed: readonly string[], refused: readonly string[]]>([
  [
    'GET /V1/a',
    ['GET /V1/a', 'GET /V1/%61'],
    ['GET /V1/a/', 'GET /V1', 'HEAD /V1/a', 'GET /v1/a', 'GET /V1/A', 'GET /V1//a'],
  ],
  [
    'GET,HEAD /V1/*',
    ['GET /V1/a', 'HEAD /V1/a'],
    ['PUT /V1/a', 'GET /V1/', 'GET /V1', 'GET /V1/a/b', 'GET /V1/a%2Fb', 'GET /V1/a//'],
  ],
  [
    'GET /V1/**',
    ['GET /V1', 'GET /V1/', 'GET /V1/a/b/c', 'GET /V1/a%2Fb', 'GET /V1//a'],
    ['GET /V1a', 'GET /', 'GET //V1/a', 'GET /%2FV1/a'],
  ],
  ['* /V1/**/b', ['DELETE /V1/b', 'GET /V1/a/b', 'GET /V1/a/a/b'], ['GET /V1/b/a', 'GET /V1']],
  ['GET /V1/*.csv', ['GET /V1/a.csv', 'GET /V1/.csv'], ['GET /V1/a.csv.gz', 'GET /V1/a/b.csv']],
  [
    'GET /V1/a*b*c',
    ['GET /V1/abc', 'GET /V1/a-b-b-c'],
    ['GET /V1/ac', 'GET /V1/abcd', 'GET /V1/xabc'],
  ],
  ['GET /V1/%2A', ['GET /V1/*', 'GET /V1/%2a'], ['GET /V1/a']],
  ['GET /V1/ü', ['GET /V1/%C3%BC', 'GET /V1/%c3%bc'], ['GET /V1/%FC']],
  [
    'GET /user/groups',
    ['GET /user/groups', 'GET /User/groups', 'GET /%75SER/groups'],
    ['GET /user/Groups', 'GET /user', 'GET /users/groups'],
  ],
  ['GET /user/*/b', ['GET /user/a/b'], ['GET /user/a%2Fb', 'GET /user/a%2Fa/b']],
  ['GET /**', ['GET /', 'GET /a/b'], ['PUT /']],
])('%s', (rule, allowed, refused) => {
  for (const line of allowed) expect([line, allows([rule], line)]).toEqual([line, true])
  for (const line of refused) expect([line, allows([rule], line)]).toEqual([line, false])
})

test.each<[rule: string, allowed: readonly string[], refused: readonly string[]]>([
  [
    '* /V1/**',
    [
      'list-type=2&prefix=a%2Fb&delimiter=/',
      'uploads',
      'uploadId=a&partNumber=1',
      'x-id=GetObject',
      'location',
      'response-content-type=a',
    ],
    [
      'acl',
      'ACL',
      'delete',
      '%61cl',
      'ac%6C=',
      'versionId=1',
      'prefix=a;acl',
      'prefix=a&policy',
      'x-amz-acl=public-read',
      'x-amz-copy-source=/V1/b',
      '_method=DELETE',
    ],
  ],
  [
    '* /V1/**?acl&tagging',
    ['acl', 'tagging&acl=', 'prefix=a&acl'],
    ['delete', 'acl&delete', '_method=PUT'],
  ],
  [
    '* /V1/**?*',
    ['acl', 'delete', 'anything=1'],
    ['_method=PUT', 'X-HTTP-Method-Override=PUT', 'x_http_method=PUT', '%5Fmethod=PUT'],
  ],
])('query parameters by name: %s', (rule, allowed, refused) => {
  for (const query of allowed)
    expect([query, allows([rule], `PUT /V1/a?${query}`)]).toEqual([query, true])
  for (const query of refused)
    expect([query, allows([rule], `PUT /V1/a?${query}`)]).toEqual([query, false])
})

test.each([
  ['GET /V1/*', '/V1/a%5Cb'],
  ['GET /V1/*.csv', '/V1/secret;.csv'],
  ['GET /V1/*.csv', '/V1/secret;/a.csv'],
])('%s does not allow %s, which some servers read as another path', (rule, path) => {
  expect(allows([rule], `GET ${path}`)).toBe(false)
})

describe('what is copied', () => {
  const copy = (source: string, rules: readonly string[]): boolean =>
    allows(['PUT /V1/to/*', ...rules], 'PUT /V1/to/a', [['X-Amz-Copy-Source', source]])

  test.each(['/V1/from/a', 'V1/from/a', '/V1/from/%61', ' /V1/from/a '])(
    'must be allowed to be read: %s',
    (source) => {
      expect(copy(source, [])).toBe(false)
      expect(copy(source, ['PUT /V1/from/*'])).toBe(false)
      expect(copy(source, ['GET /V1/from/*'])).toBe(true)
    },
  )

  test.each([
    '/V1/from/../secret/a',
    '/V1/from/%2e%2e/secret/a',
    '/V1/from/%252e%252e/secret',
    'arn:aws:s3:us-east-1:1:accesspoint/a/object/b',
    '/V1/from/a?versionId=1',
    '/V1/from/a b',
    '',
  ])('is refused where no rule can name it: %j', (source) => {
    expect(copy(source, ['GET /V1/from/*'])).toBe(false)
  })

  test('may be an older version where a rule says so', () => {
    expect(copy('/V1/from/a?versionId=1', ['GET /V1/from/*?versionId'])).toBe(true)
  })

  test('and removed must be allowed to be removed', () => {
    const rename = (rules: readonly string[]): boolean =>
      allows(['PUT /V1/to/*', ...rules], 'PUT /V1/to/a', [['x-amz-rename-source', '/V1/from/a']])
    expect(rename(['GET /V1/from/*'])).toBe(false)
    expect(rename(['DELETE /V1/from/*'])).toBe(true)
  })
})

test('headers that let others in need a rule with the parameter acl', () => {
  for (const header of [
    ['x-amz-acl', 'public-read'],
    ['X-Amz-Grant-Read', 'uri=a'],
  ] as const) {
    expect(allows(['PUT /V1/**'], 'PUT /V1/a', [header])).toBe(false)
    expect(allows(['PUT /V1/**?acl'], 'PUT /V1/a', [header])).toBe(true)
  }
  expect(allows(['PUT /V1/**'], 'PUT /V1/a', [['x-amz-acl', 'private']])).toBe(true)
})

test.each([
  ['x-amz-tagging', 'tagging'],
  ['X-Amz-Bypass-Governance-Retention', 'retention'],
  ['x-amz-object-lock-mode', 'retention'],
  ['x-amz-object-lock-retain-until-date', 'retention'],
  ['x-amz-object-lock-legal-hold', 'legal-hold'],
])('the header %s needs a rule with the parameter %s', (header, parameter) => {
  const isAllowed = (rule: string): boolean => allows([rule], 'PUT /V1/a', [[header, 'a']])
  expect(isAllowed('PUT /V1/**')).toBe(false)
  expect(isAllowed(`PUT /V1/**?${parameter}`)).toBe(true)
})

describe('whatever the rule and the path are,', () => {
  const segment = fc.constantFrom(
    'a',
    'b',
    'ab',
    'aab',
    'User',
    '',
    '%2F',
    'a%2Fb',
    '%61',
    'a;b',
    ';',
    'a%5Cb',
  )
  const path = fc.array(segment, { minLength: 1, maxLength: 6 }).map((all) => `/${all.join('/')}`)
  const part = fc.constantFrom('a', 'ab', '*', '**', 'a*', '*b', 'a*b', '*a*', 'user', '')
  const pattern = fc.array(part, { minLength: 1, maxLength: 5 }).map((all) => `/${all.join('/')}`)

  test('a path is allowed if and only if each of its readings matches a plain pattern', () => {
    fc.assert(
      fc.property(pattern, path, (given, requested) => {
        const readings = [false, true].flatMap((isEscaped) =>
          [false, true].flatMap((isBackslash) =>
            [false, true].flatMap((isCut) =>
              [false, true].map((isFolded) => {
                let text = requested.replaceAll('%61', 'a').replaceAll('%2F', isEscaped ? '|' : '/')
                text = text.replaceAll('%5C', isBackslash ? '/' : '^')
                if (isCut) text = text.replace(/;[^/]*/g, '')
                if (isFolded) text = text.replace(/\/+/g, '/')
                return text
                  .slice(1)
                  .split('/')
                  .map((one) => one.replaceAll('|', '/').replaceAll('^', '\\'))
              }),
            ),
          ),
        )
        const expected = readings.every((reading) =>
          matchesPlainly(foldFirst(given.slice(1).split('/')), foldFirst(reading)),
        )
        expect(allows([`GET ${given}`], `GET ${requested}`)).toBe(expected)
      }),
      { numRuns: 3000 },
    )
  })

  test('a rule costs time that grows little with the path', () => {
    const rule = `GET /${'**/*a*a*a*b/'.repeat(5)}c`
    const startedAt = process.cpuUsage()
    expect(allows([rule], `GET /${`${'a'.repeat(200)}/`.repeat(300)}`)).toBe(false)
    const { user } = process.cpuUsage(startedAt)
    expect(user / 1000).toBeLessThan(1000)
  })
})

/** The oracle: it tries everything. */
function matchesPlainly(pattern: readonly string[], path: readonly string[]): boolean {
  const [part, ...rest] = pattern
  if (part === undefined) return path.length === 0
  if (part === '**') {
    return [...path, ''].some((_, index) => matchesPlainly(rest, path.slice(index)))
  }
  const [segment, ...others] = path
  if (segment === undefined) return false
  const expression = new RegExp(`^${part.replaceAll('*', '[^]*')}$`)
  const fits = expression.test(segment) && (segment !== '' || part === '')
  return fits && matchesPlainly(rest, others)
}

/** The service reads the first segment of its token routes in any case. */
function foldFirst([first = '', ...rest]: readonly string[]): readonly string[] {
  return [first.replace(/^user$/i, 'user'), ...rest]
}

test.each(['GET', '/V1/**', 'get /V1', 'GET V1', 'GET  ', 'GET /V1 /a', ''])(
  'a rule that is none ends with 2 and is named: %j',
  async (rule) => {
    const { exitCode, notes } = await openEmulated({ flags: ['--allow', rule] })
    expect(await exitCode).toBe(2)
    expect(notes()).toContain(`--allow ${JSON.stringify(rule)} is no rule`)
  },
)

test('rules hold for what is forwarded, and say what they miss', async () => {
  const flags = ['--allow', 'GET,HEAD /V1/**', '--allow', 'PUT /V1/to/*']
  const { emulator, url } = await openEmulated({ flags })
  const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { method, headers: { ...secretHeader, ...headers } })
    return `${response.status} ${await response.text()}`
  }
  expect(await send('PUT', '/V1/to/a')).toMatch(/^200 /)
  expect(await send('PUT', '/V1/a')).toContain('no --allow rule lets PUT /V1/a through')
  expect(await send('GET', '/V1/a?acl')).toContain('with the parameter \\"acl\\"')
  expect(await send('GET', '/user/groups')).toMatch(/^403 /)
  expect(await send('PUT', '/V1/to/b', { 'x-amz-copy-source': '/user/groups' })).toMatch(/^403 /)
  expect(await send('POST', '/V1/to/a', { 'x-http-method-override': 'PUT' })).toMatch(/^403 /)
  expect(emulator.requests).toHaveLength(1)
})

test('--read-only forwards GET and HEAD alone', async () => {
  const { emulator, url } = await openEmulated({ flags: ['--read-only'] })
  for (const method of ['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
    const response = await fetch(`${url}/V1/a`, { method, headers: secretHeader })
    expect([method, response.status]).toEqual([method, 403])
  }
  const overridden = await fetch(`${url}/V1/?_method=DELETE`, { headers: secretHeader })
  expect(overridden.status).toBe(403)
  for (const method of ['GET', 'HEAD']) {
    expect((await fetch(`${url}/V1/`, { method, headers: secretHeader })).status).toBe(200)
  }
  expect(emulator.requests.map(({ method }) => method)).toEqual(['GET', 'HEAD'])
})
