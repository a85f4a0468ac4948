import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatJson } from '../testing.ts'

/** Paints nothing. */
const plain = (_colour: string, text: string) => text

test('JSON is written on lines of its own, and no digit is lost', () => {
  const text = '{"a":[1,-2.50e+10,12345678901234567890],"b":{},"c":[ ],"d":"x:{,}","e":null}'
  expect(formatJson(text, plain)).toBe(
    `{
  "a": [
    1,
    -2.50e+10,
    12345678901234567890
  ],
  "b": {},
  "c": [],
  "d": "x:{,}",
  "e": null
}`,
  )
})

test('names, texts, numbers and words have colors of their own', () => {
  const marked = formatJson('{"a":["b",1,true]}', (colour, text) => `<${colour} ${text}>`)
  expect(marked?.replaceAll(/\s+/g, ' ')).toBe(
    '{ <blue "a">: [ <green "b">, <cyan 1>, <magenta true> ] }',
  )
})

test('what would act on a terminal is escaped, and means the same', () => {
  const text = JSON.stringify({ a: '\u009B31m\u202E\u007F' })
  const formatted = formatJson(text, plain) ?? ''
  expect(formatted).toMatch(/^[\x20-\x7E\n]*$/)
  expect(JSON.parse(formatted)).toEqual(JSON.parse(text))
})

test('what is no JSON is not formatted', () => {
  for (const text of ['', '{', '{"a":1}}', 'NaN', "{'a':1}"]) {
    expect(formatJson(text, plain)).toBeUndefined()
  }
})

test('any JSON means the same when it is formatted', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(formatJson(text, plain) ?? '')).toEqual(JSON.parse(text))
    }),
  )
})
