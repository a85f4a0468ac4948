import { describe, expect, test } from 'vitest'
import { queryHint } from '../testing.ts'

const onTheWay = 'On the way, or in the server, something'
const otherSpelling =
  'It is the same query in another spelling: something on the way decodes it and re-encodes it differently, and the server signs it as received.'

describe('a query of which nothing is left', () => {
  test('was dropped', () => {
    expect(queryHint('first=1', '')).toBe('The query was dropped on the way.')
  })

  test.each([
    ['first=1', 'first'],
    ['first=1&second=2&first=3&third', 'first, second, third'],
    ['p1=&p2=&p3=&p4=&p5=', 'p1, p2, p3, p4, p5'],
    ['p1=&p2=&p3=&p4=&p5=&p6=', 'p1, p2, p3, p4, p5 and 1 more'],
    ['p1=&p2=&p3=&p4=&p5=&p6=&p7=a=b', 'p1, p2, p3, p4, p5 and 2 more'],
  ])('but was none before was added: %s', (theirs, names) => {
    expect(queryHint('', theirs)).toBe(`The query was added on the way: ${names}.`)
  })
})

describe('another order', () => {
  test.each([
    ['first=1&second=2', 'second=2&first=1'],
    ['first=1&second=1&second=2&third=3', 'first=1&third=3&second=1&second=2'],
    ['a=&aa=', 'aa=&a='],
  ])('of names is sorted otherwise: %s, %s', (ours, theirs) => {
    expect(queryHint(ours, theirs)).toBe(
      'The parameters are in a different order: something on the way sorts them differently, and the server signs them as received.',
    )
  })

  test.each([
    ['name=2&name=1', 'name=1&name=2'],
    ['name=2&name=1&other=3', 'name=1&name=2&other=3'],
    // "=" comes after the digits, the hyphen and the percent sign.
    ['name=2&name=1&name1=3', 'name=1&name=2&name1=3'],
    ['name=2&name=1&name-a=3', 'name=1&name=2&name-a=3'],
  ])('of values that goes by value names the option: %s, %s', (ours, theirs) => {
    expect(queryHint(ours, theirs)).toBe(
      "The values of a repeated parameter are in a different order: the server signs them sorted by value. Use repeatedParameters: 'by-value'.",
    )
  })

  test.each([
    ['name=1&name=2', 'name=2&name=1'],
    ['name=1&name=2&name1=3', 'name=2&name=1&name1=3'],
  ])('of values that goes by nothing names the option: %s, %s', (ours, theirs) => {
    expect(queryHint(ours, theirs)).toBe(
      "The values of a repeated parameter are in a different order: the server signs them as received. Use repeatedParameters: 'wire-order', unless something on the way reorders them.",
    )
  })
})

describe('the same query', () => {
  test.each([
    ['acl=', 'acl'],
    ['acl=&list=1', 'acl&list=1'],
    ['acl=&list=1&versions=', 'versions&list=1&acl'],
  ])('without the = of a parameter that has no value: %s, %s', (ours, theirs) => {
    expect(queryHint(ours, theirs)).toBe(
      'A parameter without a value is signed without its =: something on the way drops the =, or the server does not add it.',
    )
  })

  test.each([
    ['name=a%2Fb', 'name=a/b'],
    ['name=a%20b', 'name=a+b'],
    ['name=a%2Fb&other=%3A', 'other=:&name=a/b'],
    ['name=a%2Fb&name=a%2Fa', 'name=a/b&name=a/a'],
  ])('in another spelling: %s, %s', (ours, theirs) => {
    expect(queryHint(ours, theirs)).toBe(otherSpelling)
  })
})

test.each([
  [
    'name=a%20b',
    'name=a%2520b',
    'percent-encodes what is already encoded (so it is encoded twice)',
  ],
  ['name=a%2Bb', 'name=a%20b', 'reads + as a space'],
  ['name=a%20b', 'name=a%2Bb', 'writes a space as +, which is then read as a plus sign'],
  [
    'name=a%2526b',
    'name=a%26b',
    'decodes the query and forwards it decoded (so it is decoded twice)',
  ],
  [
    'name=a%2526b&other=%2527',
    'other=%27&name=a%26b',
    'decodes the query and forwards it decoded (so it is decoded twice)',
  ],
])('%s that arrived as %s is told by the way there', (ours, theirs, way) => {
  expect(queryHint(ours, theirs)).toBe(`${onTheWay} ${way}.`)
})

test.each([
  ['first=1&second=2', 'first=1', 'The parameter second was lost on the way.'],
  ['first=1', 'first=1&second=2', 'The parameter second was added on the way.'],
  ['first=1', 'first=2', 'The parameter first was changed on the way.'],
  ['first=1', 'first=1&first=1', 'The parameter first was added on the way.'],
  [
    'first=1&first=1&second=2',
    'first=1&second=3',
    'The parameter first was lost on the way. The parameter second was changed on the way.',
  ],
  [
    'first=1&second=2&third=3&fourth=4',
    'third=4&fourth=5&fifth=5&sixth=6',
    'The parameters first, second were lost on the way. The parameters fifth, sixth were added on the way. The parameters third, fourth were changed on the way.',
  ],
  [
    'first=1',
    'p1=&p2=&p3=&p4=&p5=&p6=',
    'The parameter first was lost on the way. The parameters p1, p2, p3, p4, p5 and 1 more were added on the way.',
  ],
])('from %s to %s each name is told by what became of it', (ours, theirs, hint) => {
  expect(queryHint(ours, theirs)).toBe(hint)
})
