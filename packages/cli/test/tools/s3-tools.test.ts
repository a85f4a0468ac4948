import { defaultApiKeys } from '@svc/emulator'
import { atNight } from '../../../../tests/support/nightly.ts'
import { startProxy } from '../support/start-proxy.ts'
import { describePrograms } from './support/programs.ts'
import { allKeys, type StoreKind } from './support/s3-store.ts'
import { describeSdk } from './support/sdk.ts'

const emulated: StoreKind = {
  start: async () => {
    const { emulator, ...urls } = await startProxy()
    return { ...urls, bucket: 'V1', serviceKey: defaultApiKeys[0], requests: emulator.requests }
  },
}

// Some tools are a process for each key.
const keys = atNight(
  allKeys,
  allKeys.filter((_, index) => index % 3 === 1),
)

describeSdk(emulated, keys)
describePrograms(emulated, keys)
