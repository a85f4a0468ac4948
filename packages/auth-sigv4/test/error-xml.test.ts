import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readErrorXml } from '../src/diagnose/error-xml.ts'

const read = (text: string) => {
  const { elements, state } = readErrorXml(text)
  return [state, Object.fromEntries(elements)] as const
}

describe('an error answer', () => {
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
    ['with CDATA', '<Error><A>x<![CDATA[<&amp;]]>]]&gt;</A></Error>', { A: 'x<&amp;]]>' }],
    [
      'with comments',
      '<!-- <Error> --><Error><!--a--><A>b<!--</A>-->c</A></Error><!---->',
      { A: 'bc' },
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

describe('any text', () => {
  const markup = fc
    .array(
      fc.oneof(
        fc.constantFrom('<Error>', '</Error>', '<Code>', '</Code>', '<Code/>', '<!--', '-->', '<?'),
        fc.constantFrom(
          '?>',
          '<![CDATA[',
          ']]>',
          '&amp;',
          '&#10;',
          '&x;',
          '&',
          '<!',
          '"',
          "'",
          '=',
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''))

  test('is read, or refused, and never an error', () => {
    fc.assert(
      fc.property(fc.oneof(markup, fc.string({ unit: 'binary' })), (text) => {
        const { elements, state } = readErrorXml(text)
        expect(['complete', 'truncated', 'malformed']).toContain(state)
        expect(state === 'malformed' ? elements.size : 0).toBe(0)
      }),
      { numRuns: 3000 },
    )
  })

  const character = fc
    .oneof(
      fc.integer({ min: 0x20, max: 0x2ff }),
      fc.constantFrom(0x9, 0xa, 0xd, 0x1f600, 0xfffd, 0x26, 0x3c, 0x3e, 0x5d),
    )
    .map((code) => String.fromCodePoint(code))
  const ways = fc.constantFrom<(text: string) => string>(
    (text) => `&#${text.codePointAt(0)};`,
    (text) => `&#x${text.codePointAt(0)?.toString(16).toUpperCase()};`,
    (text) => (/[<&\r]/.test(text) ? `&#${text.codePointAt(0)};` : text),
    (text) => (text === '\r' ? '&#13;' : `<![CDATA[${text}]]>`),
    (text) => (/[<&\r]/.test(text) ? `&#${text.codePointAt(0)};` : `<!-- & < -->${text}<?p &?>`),
  )
  const written = fc.array(fc.tuple(character, ways)).map((parts) => ({
    text: parts.map(([one]) => one).join(''),
    xml: parts.map(([one, write]) => write(one)).join(''),
  }))
  const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/)

  test('comes back as it was, however it was written', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(names, written), { selector: ([name]) => name }),
        (elements) => {
          const content = elements.map(([name, { xml }]) => `<${name}>${xml}</${name}>`).join('')
          expect([...readErrorXml(`<Error>${content}</Error>`).elements]).toEqual(
            elements.map(([name, { text }]) => [name, text]),
          )
        },
      ),
      { numRuns: 1000 },
    )
  })
})

test.each<[what: string, unit: string]>([
  ['beginnings of tags', '<'],
  ['tags', '<a>'],
  ['empty elements', '<Error/>'],
  ['elements', '<Error><a/>'],
  ['comments', '<!--'],
  ['whole comments', '<!---->'],
  ['beginnings of CDATA', '<Error><![CDATA['],
  ['processing instructions', '<?'],
  ['ampersands', '<Error>&'],
  ['references', '<Error>&#1'],
  ['quotes', '<Error a="'],
  ['blanks in a tag', '<Error  '],
  ['ends', '</'],
  ['carriage returns', '<Error>\r'],
  ['dashes', '<!-- -'],
])('a megabyte of %s is read in linear time', (_what, unit) => {
  const texts = [unit.repeat(1_000_000 / unit.length), unit + unit.slice(-1).repeat(1_000_000)]
  const within = `<Error>${unit.repeat(1_000_000 / unit.length)}`
  for (const text of [...texts, within]) {
    // With the square of its length it would take hours.
    expect(readErrorXml(text)).toBeDefined()
  }
})
