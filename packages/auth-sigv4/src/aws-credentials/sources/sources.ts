import type { ServiceClocks } from '../../clock.ts'
import type { Section } from '../outside/config-files.ts'
import type { Outside } from '../outside/outside.ts'

/** What the sources of keys share. */
export interface Sources {
  readonly outside: Outside
  /** The clocks of STS, one for each host. */
  readonly clocks: ServiceClocks
  /**
   * Returns a setting of the environment, by its name with `AWS_` in upper case, or of the profile that was chosen.
   */
  readonly setting: (name: string) => Promise<string | undefined>
  /** Returns the region of a service: the one of the options, of the environment, or of a profile. */
  readonly regionFor: (profile: Section | undefined) => Promise<string>
}
