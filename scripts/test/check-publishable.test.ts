import { describe, expect, test } from 'vitest'
import { checkPublishable } from '../release/check-publishable.ts'

const versioned = { name: '@svc/types', version: '0.1.0' }

test('what has versions and is committed may be published', () => {
  expect(checkPublishable([versioned], '')).toEqual([])
})

describe('nothing is published', () => {
  test('before each package has a version', () => {
    const unversioned = { name: '@svc/auth-hooks', version: '0.0.0' }
    expect(checkPublishable([versioned, unversioned], '')).toEqual([
      '@svc/auth-hooks has no version yet: merge the pull request with the versions first',
    ])
  })

  test('of what is not committed', () => {
    const changes = ' M packages/types/src/index.ts\n?? packages/types/src/more.ts\n'
    expect(checkPublishable([versioned], changes)).toEqual([
      'packages/types/src/index.ts is not committed',
      'packages/types/src/more.ts is not committed',
    ])
  })
})
