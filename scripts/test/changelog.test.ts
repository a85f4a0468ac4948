import { expect, test } from 'vitest'
import { getDependencyReleaseLine, getReleaseLine, withHeadings } from '../release/changelog.ts'

test('a change is an item with its own list, and without trailing spaces', () => {
  expect(getReleaseLine({ summary: 'The change:\n\n- one\n- two\n' })).toBe(
    '- The change:\n\n  - one\n  - two',
  )
})

test('the packages that are needed are listed once, by name and version', () => {
  const dependencies = [
    { name: '@svc/types', newVersion: '0.2.0' },
    { name: '@svc/auth-hooks', newVersion: '0.1.1' },
  ]
  expect(getDependencyReleaseLine([], dependencies).trim()).toBe(
    '### Dependencies\n\n- `@svc/auth-hooks` 0.1.1\n- `@svc/types` 0.2.0',
  )
  expect(getDependencyReleaseLine([], [])).toBe('')
})

test('headings say what stands below them, and none stands alone', () => {
  const generated = [
    '## 1.0.0\n\n### Major Changes\n\n- a',
    '### Minor Changes\n\n- b',
    '### Patch Changes\n\n- c',
    '## 0.1.1\n\n### Patch Changes\n\n### Dependencies\n\n- d',
  ]
  expect(withHeadings(generated.join('\n\n'))).toBe(
    [
      '## 1.0.0\n\n### Breaking changes\n\n- a',
      '### Changes\n\n- b',
      '### Fixes and additions\n\n- c',
      '## 0.1.1\n\n### Dependencies\n\n- d',
    ].join('\n\n'),
  )
})
