import type { ObjectGroup } from '@svc/types'

/** A user who can log in. */
export interface EmulatorUser {
  /** The account name; `Username` of the login. */
  readonly username: string
  /** The password; `Password` of the login. */
  readonly password: string
  /**
   * For a subaccount user, the external ID of its primary account, which its logins must send as
   * `ParentUid`.
   * @default none, for a primary user
   */
  readonly parentUid?: string
  /**
   * A primary user's own external ID: the only `ParentUid` that its logins may send.
   * @default none, and its logins may not send a `ParentUid`
   */
  readonly uid?: string
  /**
   * What `GET /user/groups` lists.
   * @default `[]`
   */
  readonly groups?: readonly ObjectGroup[]
}
