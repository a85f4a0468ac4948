import type { AxiosAdapter, AxiosStatic, InternalAxiosRequestConfig } from 'axios'
import { platform } from '#axios-platform'
import { check } from '../kit/checks.ts'

/** The parts of axios that are used. */
export type AxiosLibrary = Pick<
  AxiosStatic,
  'Axios' | 'AxiosError' | 'AxiosHeaders' | 'VERSION' | 'getAdapter'
>

/**
 * A copy of axios, as imported by `import axios from 'axios'`. Declares only the parts that are used, so that
 * the types of any version fit.
 *
 * @template Adapter - Its adapter type.
 */
export interface AxiosCopy<Adapter> {
  /** Its version: 1.7.0 or a later 1.x. */
  readonly VERSION: string
  /** Its instance class. */
  readonly Axios: object
  /** Its error class. */
  readonly AxiosError: object
  /** Its headers class. */
  readonly AxiosHeaders: object
  /** Returns one of its adapters. */
  getAdapter(name: 'fetch' | 'http'): Adapter
}

/** The name of the adapter that sends: one of axios' own, or another one. */
export type AdapterName = 'http' | 'fetch' | 'other'

/** The adapter that sends the authorized requests. */
export interface InnerAdapter {
  readonly name: AdapterName
  /** axios chooses its fetch adapter by the `env` of a configuration. */
  for(config: InternalAxiosRequestConfig): AxiosAdapter
}

/**
 * Checks that this is an axios that is supported. The parts that are used are the same in all of these
 * versions, and only the types differ.
 *
 * @throws TypeError naming `axios`, and the version if that is the reason.
 */
export function assertAxios(given: unknown, caller: string): asserts given is AxiosLibrary {
  const isObject = (typeof given === 'object' && given !== null) || typeof given === 'function'
  const isLibrary = isObject && 'VERSION' in given
  check(isLibrary, caller, 'axios must be the library itself, not an instance created with it')
  const version = String(given.VERSION)
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? []
  const isSupported = major === '1' && Number(minor) >= 7
  check(
    isSupported,
    caller,
    `axios must not be ${version}: it works with axios 1.7 and later 1.x; update axios, or pass ` +
      'another copy of it as the option axios',
  )
}

const adapterRequirement =
  "adapter must be 'http', 'fetch' or a function, not 'xhr', which follows redirects by itself"

/**
 * Finds the adapter that sends.
 *
 * @throws TypeError naming `adapter` if it is none, or none that leaves redirects to us.
 */
export function findAdapter(axios: AxiosLibrary, given: unknown, caller: string): InnerAdapter {
  if (isAdapter(given)) {
    const own: unknown = Reflect.get(given, 'adapterName')
    check(own !== 'xhr', caller, adapterRequirement)
    return { name: own === 'http' || own === 'fetch' ? own : 'other', for: () => given }
  }
  const isName = given === undefined || given === 'http' || given === 'fetch'
  check(isName, caller, adapterRequirement)
  const name = given ?? (supports(axios, 'http') ? 'http' : 'fetch')
  const isThere = supports(axios, name)
  check(isThere, caller, `adapter must not be '${name}', which axios does not have here`)
  return { name, for: (config) => axios.getAdapter(name, config) }
}

function isAdapter(given: unknown): given is AxiosAdapter {
  return typeof given === 'function'
}

function supports(axios: AxiosLibrary, name: 'fetch' | 'http'): boolean {
  if (name === 'http' && !platform) return false
  try {
    return typeof axios.getAdapter(name) === 'function'
  } catch {
    return false
  }
}
