/**
 * The body of `POST /user/login`, with its names on the wire.
 *
 * @see Interface of the service, section 4.1
 */
export interface LoginRequest {
  /** The account name of the user. */
  Username: string
  /** The user's password. */
  Password: string
  /** The external ID of the primary account; a subaccount user must send it. */
  ParentUid?: string
  /** The interface shows it sent as `true`, but not what it means. */
  UniqueSession?: boolean
}

/**
 * The response to `POST /user/login`.
 *
 * @see Interface of the service, section 4.1
 */
export interface LoginResponse {
  /** A JWT, valid for 24 hours for the user it was issued to. */
  Token: string
}

/**
 * An object group, as `GET /user/groups` lists it.
 *
 * @see Interface of the service, sections 2 and 4.2
 */
export interface ObjectGroup {
  /** Identifier of the group. */
  id: string
  /** Name of the group. */
  name: string
  /** One entry per permission. */
  permissions: Permission[]
}

/**
 * A permission of an object group.
 *
 * @see Interface of the service, section 2
 */
export interface Permission {
  /** A list of actions; the interface shows `*` as a wildcard entry. */
  Actions: string[]
  /** The interface does not show its structure. */
  Condition: unknown
}
