import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatJson } from '../testing.ts'

test('JSON is written on lines of its own, and no digit is lost', () => {
  const text = '{"a":[1,-2.50e+10,12345678901234567890],"b":{},"c":[ ],"d":"x:{,}","e":null}'
  expect(formatJson(text)).toBe(
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
}
`,
  )
})

test('what is no JSON is not formatted', () => {
  for (const text of ['', '{', '{"a":1}}', 'NaN', "{'a':1}"]) {
    expect(formatJson(text)).toBeUndefined()
  }
})

test('any JSON means the same when it is formatted', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(formatJson(text) ?? '')).toEqual(JSON.parse(text))
    }),
  )
})
