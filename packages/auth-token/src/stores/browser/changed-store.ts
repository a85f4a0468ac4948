import type { SharingSettings } from '../../session/session-options.ts'
import { type SharedTokenStore, type Sharing, sharingFactory } from '../../token.ts'

/** Returns a store like another, but for what its sharings do. */
export function changedStore(
  store: SharedTokenStore,
  change: (sharing: Sharing, settings: SharingSettings) => Sharing,
  own: Partial<SharingSettings> = {},
): SharedTokenStore {
  return {
    ...store,
    [sharingFactory](given, settings: SharingSettings) {
      // As the type of the store says.
      const sharing = store[sharingFactory](given, { ...settings, ...own } as never) as Sharing
      return change(sharing, settings)
    },
  }
}
