import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readErrorXml } from '../testing.ts'

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
