import { describe, expect, test } from 'vitest'
import { readErrorXml } from '../testing.ts'

describe('an error response', () => {
  test.each<[what: string, text: string, elements: Record<string, string>]>([
    ['with a declaration', '<?xml version="1.0"?>\n<Error><Code>A</Code></Error>\n', { Code: 'A' }],
    ['without one', '<Error><Code>A</Code><Message></Message></Error>', { Code: 'A', Message: '' }],
    ['with entities', '<Error><A>&amp;&lt;&gt;&quot;&apos;</A></Error>', { A: `&<>"'` }],
    ['with numeric references', '<Error><A>&#10;&#x1F600;&#xfc;</A></Error>', { A: '\n😀ü' }],
    ['with a reference to no character', '<Error><A>&#x1FFFFF;</A></Error>', { A: '\ufffd' }],
    [
      'with an entity of its own',
      '<Error><A>&lol; & &toString;</A></Error>',
      { A: '&lol; & &toString;' },
    ],
    [
      'with namespaces',
      '<s3:Error xmlns:s3="http://x/"><s3:Code>A</s3:Code></s3:Error>',
      { Code: 'A' },
    ],
    ['with attributes', '<Error a="b"><Code c = "d" >A</Code ></Error>', { Code: 'A' }],
    [
      'within another element',
      '<ErrorResponse><A>x</A><Error><Code>A</Code></Error></ErrorResponse>',
      { Code: 'A' },
    ],
    ['with one name twice', '<Error><Code>A</Code><Code>B</Code></Error>', { Code: 'A' }],
    ['that breaks off', '<Error><Code>A</Code><Message>b</Mess', { Code: 'A' }],
    [
      'with line breaks of Windows',
      '<Error>\r\n<A>b\r\nc\rd&#13;</A>\r\n</Error>',
      { A: 'b\nc\nd\r' },
    ],
    [
      'with a name of an object',
      '<Error><__proto__>a</__proto__><constructor>b</constructor></Error>',
      JSON.parse('{"__proto__":"a","constructor":"b"}'),
    ],
    ['of another kind', '<ListBucketResult><Name>b</Name></ListBucketResult>', {}],
    ['that is a page', '<!DOCTYPE html><html><title>Error</title></html>', {}],
  ])('%s is read', (_what, text, elements) => {
    expect(Object.fromEntries(readErrorXml(text))).toEqual(elements)
  })
})

test.each<[what: string, unit: string]>([
  ['beginnings of tags', '<'],
  ['tags', '<a>'],
  ['a long name', '<Error><a'],
  ['prefixes', '<Error><a:'],
  ['empty elements', '<Error/>'],
  ['elements', '<Error><a/>'],
  ['references', '<Error>&#1'],
  ['quotes', '<Error a="'],
  ['blanks in a tag', '<Error  '],
  ['ends', '</'],
  ['carriage returns', '<Error>\r'],
])('a megabyte of %s is read in linear time', (_what, unit) => {
  const texts = [unit.repeat(1_000_000 / unit.length), unit + unit.slice(-1).repeat(1_000_000)]
  const within = `<Error>${unit.repeat(1_000_000 / unit.length)}`
  for (const text of [...texts, within]) {
    // With the square of its length it would take hours.
    expect(readErrorXml(text)).toBeDefined()
  }
})
