import assert from 'node:assert/strict'
import { parseSections } from '../../../packages/auth-sigv4/test/testing.ts'
import type { Parser } from './parser.ts'

/** Parsers of files that other programs write. */
export const configParsers: readonly Parser[] = [
  {
    name: 'a shared file of AWS',
    samples: [
      '[default]\naws_access_key_id = A#B # mine\ns3 =\n  a = b\n[profile "a b"]\nregion=x\n',
      '# a\r\n[sso-session x] ; b\r\nsso_region = eu-west-1\r\n',
    ],
    tokens: [
      '[',
      ']',
      '=',
      '\n',
      '\r',
      '\r\n',
      ' ',
      '\t',
      '#',
      ';',
      ' #',
      ' ;',
      '"',
      "'",
      'a',
      '__proto__',
      '\0',
    ],
    check(text) {
      const titles = new Set<string>()
      for (const [title, section] of parseSections(text)) {
        assert.ok(!titles.has(title) && title === title.trim())
        titles.add(title)
        for (const [name, value] of section) {
          assert.match(name, /^[^=\n\r]+$/)
          assert.equal(name, name.trim().toLowerCase())
          assert.match(value, /^\S(?:[^\n\r]*\S)?$/)
          assert.ok(!/\s[#;]/.test(value))
        }
      }
    },
  },
]
