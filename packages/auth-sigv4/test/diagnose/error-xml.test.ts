import { describe, expect, test } from 'vitest'
import { readErrorXml } from '../testing.ts'

const read = (text: string) => {
  const { elements, state } = readErrorXml(text)
  return [state, Object.fromEntries(elements)] as const
}

describe('an error response', () => {
  test.each<[what: string, text: string, elements: Record<string, string>]>([
    ['with a declaration', '<?xml version="1.0"?>\n<Error><Code>A</Code></Error>\n', { Code: 'A' }],
    ['without one', '<Error><Code>A</Code><Message/></Error>', { Code: 'A', Message: '' }],
    ['with entities', '<Error><A>&amp;&lt;&gt;&quot;&apos;</A></Error>', { A: `&<>"'` }],
    ['with numeric references', '<Error><A>&#10;&#x1F600;&#xfc;</A></Error>', { A: '\n😀ü' }],
    [
      'with references to no character',
      '<Error><A>&#0;&#xD800;&#x1FFFFF;</A></Error>',
      { A: '\ufffd\ufffd\ufffd' },
    ],
    [
      'with references to the first and last characters there are',
      '<Error><A>&#9;&#13;&#32;&#xD7FF;&#xe000;&#xFFFD;&#X10FFFF;</A></Error>',
      { A: '\t\r \ud7ff\ue000\ufffd\u{10ffff}' },
    ],
    [
      'with references just beyond those',
      '<Error><A>&#31;&#xDFFF;&#xFFFE;&#xFFFF;&#x110000;</A></Error>',
      { A: '\ufffd'.repeat(5) },
    ],
    [
      'with CDATA that is written in two for what ends it',
      '<Error><A><![CDATA[a]]]]><![CDATA[>]]><![CDATA[]]></A></Error>',
      { A: 'a]]>' },
    ],
    ['with CDATA', '<Error><A>x<![CDATA[<&amp;]]>]]&gt;</A></Error>', { A: 'x<&amp;]]>' }],
    [
      'with comments',
      '<!-- <Error> --><Error><!--a--><A>b<!--</A>-->c</A></Error><!---->',
      { A: 'bc' },
    ],
    [
      'with one comment or instruction after the other',
      '<?x?><?y?><!--a--><!--b--><Error><!--><A>--><A>b</A></Error>',
      { A: 'b' },
    ],
    ['with processing instructions', '<Error><?x <A>?><A>b<?y?>c</A></Error>', { A: 'bc' }],
    [
      'with namespaces',
      '<s3:Error xmlns:s3="http://x/"><s3:Code>A</s3:Code></s3:Error>',
      { Code: 'A' },
    ],
    [
      'with attributes',
      `<Error a="/>" b='">'><Code c = "</Code>" >A</Code ></Error>`,
      { Code: 'A' },
    ],
    [
      'within another element',
      '<ErrorResponse><Error><Code>A</Code></Error><B>x</B></ErrorResponse>',
      { Code: 'A' },
    ],
    ['with nested elements', '<Error><Code>A</Code><B><C>x</C></B></Error>', { Code: 'A' }],
    ['with one name twice', '<Error><Code>A</Code><Code>B</Code></Error>', { Code: 'A' }],
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
  ])('%s is read', (_what, text, elements) => {
    expect(read(text)).toEqual(['complete', elements])
  })

  test.each<[what: string, text: string]>([
    ['a document type', '<!DOCTYPE Error><Error><Code>A</Code></Error>'],
    ['a document type in lower case', '<!doctype html><html></html>'],
    ['an entity of its own', '<Error><Code>&lol;</Code></Error>'],
    ['an entity named like a member', '<Error><Code>&toString;</Code></Error>'],
    ['a bare ampersand', '<Error><Code>a & b</Code></Error>'],
    ['an end without a beginning', '</Error>'],
    ['ends that are crossed', '<Error><A><B></A></B></Error>'],
    ['two roots', '<Error><Code>A</Code></Error><Error/>'],
    ['text before', 'x<Error/>'],
    ['text after', '<Error/>x'],
    ['no markup', 'text'],
    ['a tag within a tag', '<Error <Code>A</Code></Error>'],
    ['a name that is none', '<Error><1>A</1></Error>'],
    ['a name that begins with a digit', '<Error><1a>A</1a></Error>'],
    ['a name that goes on with a sign', '<Error><a!b>A</a!b></Error>'],
    ['a tag within a tag that ends', '<Error <a><Code>A</Code></Error>'],
    ['a document type that breaks off', '<Error><Code>A</Code><!DOCTYPE Error'],
    ['an entity in another case', '<Error><Code>&AMP;</Code></Error>'],
    ['an entity that is not ended', '<Error><Code>&amp</Code></Error>'],
    ['an attribute without a name of an element', '< a="b">'],
    ['CDATA outside', '<![CDATA[x]]>'],
    ['a declaration within', '<Error><!ENTITY a "b"></Error>'],
    ['depth beyond measure', '<a>'.repeat(100)],
    ['a whole page', '<!DOCTYPE html><html><body><br><p>x</body></html>'],
  ])('with %s is none', (_what, text) => {
    expect(read(text)).toEqual(['malformed', {}])
  })

  test('that breaks off anywhere gives what was complete, and nothing else', () => {
    const text =
      '<?xml version="1.0"?><!--c--><Error a=">"><Code>A&amp;B</Code><Message><![CDATA[x]]></Message></Error>'
    for (let end = 0; end < text.length; end += 1) {
      const start = text.slice(0, end)
      const expected = {
        ...(start.includes('</Code>') && { Code: 'A&B' }),
        ...(start.includes('</Message>') && { Message: 'x' }),
      }
      expect([end, ...read(start)]).toEqual([end, 'truncated', expected])
    }
  })
})
