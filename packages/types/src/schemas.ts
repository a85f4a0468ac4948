import * as v from 'valibot'
import type { LoginRequest, LoginResponse, ObjectGroup, Permission } from './resources.ts'

/**
 * The body of `POST /user/login`, as a [Standard Schema](https://standardschema.dev).
 *
 * @see LoginRequest
 */
export const loginRequest: v.GenericSchema<LoginRequest> = v.object({
  Username: v.string(),
  Password: v.string(),
  ParentUid: v.exactOptional(v.string()),
  UniqueSession: v.exactOptional(v.boolean()),
})

/**
 * The answer of `POST /user/login`, as a [Standard Schema](https://standardschema.dev).
 *
 * @see LoginResponse
 */
export const loginResponse: v.GenericSchema<LoginResponse> = v.object({ Token: v.string() })

/**
 * A permission of an object group, as a [Standard Schema](https://standardschema.dev).
 *
 * @see Permission
 */
export const permission: v.GenericSchema<Permission> = v.object({
  Actions: v.array(v.string()),
  Condition: v.unknown(),
})

/**
 * An object group, as a [Standard Schema](https://standardschema.dev).
 *
 * @see ObjectGroup
 */
export const objectGroup: v.GenericSchema<ObjectGroup> = v.object({
  id: v.string(),
  name: v.string(),
  permissions: v.array(permission),
})

/**
 * The answer of `GET /user/groups`, as a [Standard Schema](https://standardschema.dev).
 *
 * @example
 * const groups = await api.get('user/groups').json(objectGroups)
 */
export const objectGroups: v.GenericSchema<ObjectGroup[]> = v.array(objectGroup)
