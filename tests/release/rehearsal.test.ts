import { afterAll, beforeAll, describe } from 'vitest'
import { hasPackageRegistry } from '../support/registry.ts'
import { describeFirstRelease } from './first-release.ts'
import { describeInstalls } from './installs.ts'
import { describeLaterReleases } from './later-releases.ts'
import { createPlay } from './play.ts'

// One story, in its order: each part needs those before it. A short run publishes the first release and a fix, and
// gives a breaking one its versions; a night publishes that too, and tries every installer with every README.
describe.skipIf(!hasPackageRegistry())('the releases, rehearsed on a registry of our own', () => {
  const play = createPlay()

  beforeAll(() => play.open(), 120_000)
  afterAll(() => play.close())

  describeFirstRelease(play)
  describeInstalls(play)
  describeLaterReleases(play)
})
