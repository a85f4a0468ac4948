import type { ObjectGroup } from '@svc/types'

/** A user who can log in. */
export interface EmulatorUser {
  readonly username: string
  readonly password: string
  /**
   * For a subaccount user, the external ID of its primary account; its logins must bring it as
   * `ParentUid`. A user without one is a primary user.
   */
  readonly parentUid?: string
  /** A primary user's own external ID: the only `ParentUid` that its logins may bring. */
  readonly uid?: string
  /**
   * What `GET /user/groups` lists.
   * @default []
   */
  readonly groups?: readonly ObjectGroup[]
}
