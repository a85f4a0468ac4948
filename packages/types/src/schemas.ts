/**
 * Schemas for the resources of the service, to validate what you receive. Needs `valibot` 1.
 *
 * @module @svc/types/schemas
 */
import type { LoginRequest, LoginResponse, ObjectGroup, Permission } from '@svc/types'
import * as v from 'valibot'

/**
 * The body of `POST /user/login`, as a [Standard Schema](https://standardschema.dev).
 *
 * @see {@link LoginRequest}, and the interface of the service, section 4.1
 */
export const loginRequest: v.GenericSchema<LoginRequest> = v.object({
  Username: v.string(),
  Password: v.string(),
  ParentUid: v.exactOptional(v.string()),
  UniqueSession: v.exactOptional(v.boolean()),
})

/**
 * The response to `POST /user/login`, as a [Standard Schema](https://standardschema.dev).
 *
 * @see {@link LoginResponse}, and the interface of the service, section 4.1
 */
export const loginResponse: v.GenericSchema<LoginResponse> = v.object({ Token: v.string() })

/**
 * A permission of an object group, as a [Standard Schema](https://standardschema.dev).
 *
 * @see {@link Permission}, and the interface of the service, section 2
 */
export const permission: v.GenericSchema<Permission> = v.object({
  Actions: v.array(v.string()),
  Condition: v.unknown(),
})

/**
 * An object group, as a [Standard Schema](https://standardschema.dev).
 *
 * @see {@link ObjectGroup}, and the interface of the service, section 2
 */
export const objectGroup: v.GenericSchema<ObjectGroup> = v.object({
  id: v.string(),
  name: v.string(),
  permissions: v.array(permission),
})

/**
 * The response to `GET /user/groups`, as a [Standard Schema](https://standardschema.dev).
 *
 * @example
 * import { objectGroups } from '@svc/types/schemas'
 * import ky from 'ky'
 *
 * const groups = await ky('https://search.example.com/user/groups').json(objectGroups)
 * console.log(groups.map(({ name }) => name))
 * @see Interface of the service, section 4.2
 */
export const objectGroups: v.GenericSchema<ObjectGroup[]> = v.array(objectGroup)
