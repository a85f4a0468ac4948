import { describe, expect, test } from 'vitest'
import { uriEncode } from '../testing.ts'

const bytes = Array.from({ length: 256 }, (_, byte) => byte)
const isUnreserved = (character: string): boolean => /[A-Za-z0-9\-._~]/.test(character)
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

describe.each(['', '/'] as const)('with %j kept', (kept) => {
  const canonical = (byte: number): string => {
    const character = String.fromCharCode(byte)
    const isKept = isUnreserved(character) || character === kept
    return isKept ? character : `%${hex(byte).toUpperCase()}`
  }

  test.each(bytes)('the escape of byte %i has one form, in either case', (byte) => {
    expect(uriEncode(`a%${hex(byte)}b`, kept)).toBe(`a${canonical(byte)}b`)
    expect(uriEncode(`a%${hex(byte).toUpperCase()}b`, kept)).toBe(`a${canonical(byte)}b`)
    expect(uriEncode(canonical(byte), kept)).toBe(canonical(byte))
  })

  // The text is a part of a parsed URL, hence ASCII.
  test.each(bytes.slice(0, 128))('the character %i is kept or escaped', (byte) => {
    expect(uriEncode(`a${String.fromCharCode(byte)}`, kept)).toBe(
      byte === 0x25 ? 'a%25' : `a${canonical(byte)}`,
    )
  })

  test('a percent sign that begins no escape is one', () => {
    expect(uriEncode('%', kept)).toBe('%25')
    expect(uriEncode('%2', kept)).toBe('%252')
    expect(uriEncode('%2g%zz', kept)).toBe('%252g%25zz')
    expect(uriEncode('%%41', kept)).toBe('%25A')
  })

  test('a text of any length is read', () => {
    const long = 'a'.repeat(20_000_000)
    expect(uriEncode(long, kept) === long).toBe(true)
    expect(uriEncode(`${long}%7e`, kept) === `${long}~`).toBe(true)
  })
})
