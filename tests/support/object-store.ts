import type { ObjectStoreKind } from './object-store/kind.ts'
import { radosgw } from './object-store/radosgw.ts'
import { swift } from './object-store/swift.ts'

export type { ObjectStore, ObjectStoreKind } from './object-store/kind.ts'

/** Each kind of object store that Debian 12 has. */
export const objectStores: readonly ObjectStoreKind[] = [swift, radosgw]
