import type { AxiosAdapter, AxiosStatic, InternalAxiosRequestConfig } from 'axios'
import { platform } from '#axios-platform'

/** What is needed of axios. */
export type AxiosLibrary = Pick<
  AxiosStatic,
  'Axios' | 'AxiosError' | 'AxiosHeaders' | 'VERSION' | 'getAdapter'
>

/**
 * A copy of axios, as imported by `import axios from 'axios'`. Declares only what is used, so that
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

/** Which adapter sends: one of axios' own that is known here, or another one. */
export type AdapterName = 'http' | 'fetch' | 'other'

/** The adapter that sends what was authorized. */
export interface InnerAdapter {
  readonly name: AdapterName
  /** axios chooses its fetch adapter by the `env` of a configuration. */
  for(config: InternalAxiosRequestConfig): AxiosAdapter
}

/**
 * Checks that this is an axios that is supported. What is used of it is the same in all of these
 * versions, and only the types differ.
 *
 * @throws TypeError naming `axios`, and the version where that is the reason.
 */
export function assertAxios(given: unknown): asserts given is AxiosLibrary {
  const isObject = (typeof given === 'object' && given !== null) || typeof given === 'function'
  if (!isObject || !('VERSION' in given)) {
    throw new TypeError('axios must be the library itself, not an instance created with it')
  }
  const VERSION = String(given.VERSION)
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(VERSION) ?? []
  if (major === '1' && Number(minor) >= 7) return
  throw new TypeError(`axios must be version 1.7.0 or a later 1.x, not ${VERSION}`)
}

/**
 * Finds the adapter that sends.
 *
 * @throws TypeError naming `adapter` where it is none, or none that leaves redirects to us.
 */
export function findAdapter(axios: AxiosLibrary, given: unknown): InnerAdapter {
  if (isAdapter(given)) return { name: nameOf(given), for: () => given }
  if (given !== undefined && given !== 'http' && given !== 'fetch') throw refusal()
  const name = given ?? (supports(axios, 'http') ? 'http' : 'fetch')
  if (supports(axios, name)) return { name, for: (config) => axios.getAdapter(name, config) }
  throw new TypeError(`adapter must not be '${name}', which axios does not have here`)
}

function isAdapter(given: unknown): given is AxiosAdapter {
  return typeof given === 'function'
}

function nameOf(adapter: AxiosAdapter): AdapterName {
  const name: unknown = Reflect.get(adapter, 'adapterName')
  if (name === 'xhr') throw refusal()
  return name === 'http' || name === 'fetch' ? name : 'other'
}

function refusal(): TypeError {
  return new TypeError(
    "adapter must be 'http', 'fetch' or a function, not 'xhr', which follows redirects by itself",
  )
}

function supports(axios: AxiosLibrary, name: 'fetch' | 'http'): boolean {
  if (name === 'http' && !platform) return false
  try {
    return typeof axios.getAdapter(name) === 'function'
  } catch {
    return false
  }
}
