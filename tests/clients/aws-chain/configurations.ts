import type { Configuration } from './configurations/configuration.ts'
import { commands, identities } from './configurations/identities.ts'
import { fixed } from './configurations/keys.ts'
import { places } from './configurations/places.ts'
import { roles } from './configurations/roles.ts'
import { logins, signOn } from './configurations/sign-ins.ts'

/** All of them. */
export const configurations: readonly Configuration[] = [
  ...fixed,
  ...roles,
  ...identities,
  ...commands,
  ...signOn,
  ...logins,
  ...places,
]
