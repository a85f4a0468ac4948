import { afterAll, beforeAll, describe } from 'vitest'
import { isNightly } from '../support/nightly.ts'
import { hasPackageRegistry } from '../support/registry.ts'
import { describeFirstRelease } from './first-release.ts'
import { describeInstalls } from './installs.ts'
import { describeLaterReleases } from './later-releases.ts'
import { createPlay } from './play.ts'

// One story, in its order: each part needs those before it.
describe.runIf(isNightly && hasPackageRegistry())(
  'the releases, rehearsed on a registry of our own',
  () => {
    const play = createPlay()

    beforeAll(() => play.open(), 120_000)
    afterAll(() => play.close())

    describeFirstRelease(play)
    describeInstalls(play)
    describeLaterReleases(play)
  },
)
