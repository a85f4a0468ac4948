import { describe, expect, test } from 'vitest'
import {
  canonicalParts,
  type CanonicalParts,
  compareCanonicalRequests,
  payloadHint,
} from '../testing.ts'

const [hash, otherHash] = ['a'.repeat(64), 'b'.repeat(64)]
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const partsOf = ({
  method = 'GET',
  headers = ['host:h'],
  signedHeaders = 'host',
}: {
  method?: string
  headers?: readonly string[]
  signedHeaders?: string
} = {}): CanonicalParts => {
  const parts = canonicalParts(
    [method, '/a', '', ...headers, '', signedHeaders, emptyHash].join('\n'),
  )
  expect(parts).toBeDefined()
  return parts!
}

const compare = (
  ours: CanonicalParts,
  theirs: CanonicalParts,
  { unknown = [], isExact = true }: { unknown?: readonly string[]; isExact?: boolean } = {},
) =>
  compareCanonicalRequests(
    { parts: ours, sentPath: ours.path, unknown: new Set(unknown) },
    theirs,
    isExact,
  )

describe('two canonical requests', () => {
  test('that agree have no differences', () => {
    expect(compare(partsOf(), partsOf())).toEqual([])
  })

  test('are compared header by header, in order of their names', () => {
    const ours = partsOf({ headers: ['host:h', 'x-b:1', 'x-d:1'] })
    const theirs = partsOf({ headers: ['a:1', 'host:h', 'x-c:1', 'x-d:2'] })
    expect(compare(ours, theirs)).toMatchObject([
      { line: 'header a', ours: '', theirs: '1' },
      { line: 'header x-b', ours: '1', theirs: '' },
      { line: 'header x-c', ours: '', theirs: '1' },
      { line: 'header x-d', ours: '1', theirs: '2' },
    ])
  })

  test.each([true, false])('tell an empty header from none (bytes: %s)', (isExact) => {
    const [none, empty] = [partsOf(), partsOf({ headers: ['host:h', 'x-a:'] })]
    const dropped = compare(empty, none, { isExact })
    expect(dropped).toMatchObject([{ line: 'header x-a', ours: '', theirs: '' }])
    expect(dropped[0]?.hint).toContain('x-a did not arrive')
    const added = compare(none, empty, { isExact })
    expect(added).toMatchObject([{ line: 'header x-a', ours: '', theirs: '' }])
    expect(added[0]?.hint).toContain('this request does not sign it')
    expect(compare(empty, empty, { isExact })).toEqual([])
  })

  test('show no value of a secret header', () => {
    const ours = partsOf({ headers: ['x-own-token:hidden'] })
    expect(compare(ours, partsOf({ headers: [] }))).toMatchObject([
      { line: 'header x-own-token', ours: '… (6 characters)', theirs: '' },
    ])
  })

  test('are not compared by what is not known', () => {
    const names = 'host;x-amz-content-sha256;x-amz-date'
    const ours = partsOf({
      headers: ['host:h', `x-amz-content-sha256:${hash}`],
      signedHeaders: names,
    })
    const theirs = { ...partsOf({ signedHeaders: 'host;x-amz-date' }), payloadHash: hash }
    const unknown = ['payload hash', 'x-amz-content-sha256']
    expect(compare(ours, theirs, { unknown })).toEqual([])
    const other = { ...theirs, signedHeaders: `${names};z` }
    expect(compare(ours, other, { unknown })).toMatchObject([
      { line: 'signed headers', ours: 'host;x-amz-date', theirs: 'host;x-amz-date;z' },
    ])
    expect(compare(ours, theirs).map(({ line }) => line)).toEqual([
      'header x-amz-content-sha256',
      'signed headers',
      'payload hash',
    ])
  })

  test('of which one is text are compared as such, and doubted where that loses something', () => {
    const ours = partsOf({ headers: ['x-a:Ã¼', 'x-b:\u0080', 'x-c:1'] })
    const theirs = partsOf({ headers: ['x-a:ü', 'x-b:\ufffd', 'x-c:2'] })
    const doubt = 'The response cannot show all of this line'
    const [lossy, other, ...more] = compare(ours, theirs, { isExact: false })
    expect(lossy).toMatchObject({ line: 'header x-b', hint: expect.stringContaining(doubt) })
    expect(other).toMatchObject({ line: 'header x-c', hint: expect.not.stringContaining(doubt) })
    expect(more).toEqual([])
    const exact = compare(ours, theirs)
    expect(exact.map(({ line }) => line)).toEqual(['header x-a', 'header x-b', 'header x-c'])
    for (const { hint } of exact) expect(hint).not.toContain(doubt)
  })
})

test.each([
  ['HEAD', 'GET', 'such as a cache'],
  ['POST', 'GET', 'turned the request into a GET'],
  ['HEAD', 'POST', 'such as a method override'],
  ['PUT', 'POST', 'such as a method override'],
  ['PATCH', 'patch', 'only in case'],
  ['get', 'GET', 'only in case'],
])('%s that arrived as %s is told by what does that', (ours, theirs, hint) => {
  const differences = compare(partsOf({ method: ours }), partsOf({ method: theirs }))
  expect(differences).toMatchObject([{ line: 'method', ours, theirs }])
  expect(differences[0]?.hint).toContain(hint)
})

test.each([
  [hash, emptyHash, 'saw no body'],
  ['UNSIGNED-PAYLOAD', emptyHash, 'saw no body'],
  [emptyHash, hash, 'saw a body, but none is given'],
  [hash, '', 'The server has no payload hash'],
  ['UNSIGNED-PAYLOAD', '', 'x-amz-content-sha256 did not arrive'],
  [hash, otherHash, 'The body changed on the way'],
  [hash, 'UNSIGNED-PAYLOAD', 'signed differently'],
  ['UNSIGNED-PAYLOAD', hash, 'signed differently'],
  [emptyHash, 'UNSIGNED-PAYLOAD', 'signed differently'],
  [hash, `${hash}${hash}`, 'signed differently'],
  [`${hash}${hash}`, hash, 'signed differently'],
])('the payload hash %s that the server has as %s is told by its cause', (ours, theirs, hint) => {
  expect(payloadHint(ours, theirs)).toContain(hint)
})
