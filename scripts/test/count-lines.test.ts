import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkLines } from '../size/count-lines.ts'

test('lines of sources are counted but for those behind an import of their own', () => {
  const root = mkdtempSync(join(tmpdir(), 'lines-'))
  try {
    mkdirSync(join(root, 'src/door'), { recursive: true })
    mkdirSync(join(root, 'src/doors'))
    for (const [path, count] of [
      ['src/a.ts', 3],
      ['src/door/b.ts', 50],
      ['src/doors/c.ts', 4],
      ['src/d.json', 9],
    ] as const) {
      writeFileSync(join(root, path), 'x\n'.repeat(count))
    }
    const limit = { name: 'it', sources: ['src'], without: ['src/door'] }
    expect(checkLines([{ ...limit, limitLines: 7 }], root)).toEqual({
      lines: ['✓ it: 7 of 7 lines'],
      isGood: true,
    })
    expect(checkLines([{ ...limit, limitLines: 6 }], root)).toEqual({
      lines: ['✗ it: 7 of 6 lines'],
      isGood: false,
    })
    expect(
      checkLines([{ name: 'one', sources: ['src/door/b.ts'], limitLines: 50 }], root).isGood,
    ).toBe(true)
  } finally {
    rmSync(root, { recursive: true })
  }
})
