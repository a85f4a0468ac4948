import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios'
import type { RedirectResponse } from '../kernel/redirect.ts'
import type { AxiosLibrary } from './library.ts'
import type { Interception } from './platform.ts'
import { discardData, responseHeadOf } from './response.ts'

type FetchOfAxios = NonNullable<NonNullable<InternalAxiosRequestConfig['env']>['fetch']>

/** Waits until it is known whether a response is wanted, and returns it only then. */
type Hold = (response: Response) => Promise<Response>

/** The name among `fetchOptions` by which the one function for all requests finds what belongs to each of them. */
const ownOption = '@svc/auth-hooks'

/**
 * Stands between axios and its `fetch`. The adapter tells of a response only once it has read it all, and that of a
 * rejected attempt may never end: here `onResponse` is called before axios reads anything. axios before 1.12 does not
 * know `env.fetch`: it ignores this.
 */
export function interceptFetch(
  { AxiosHeaders }: AxiosLibrary,
  { env, fetchOptions }: InternalAxiosRequestConfig,
  onResponse: (head: RedirectResponse) => void,
): Interception {
  let decide = (_isWanted: boolean): void => {}
  const isWanted = new Promise<boolean>((resolve) => (decide = resolve))
  const hold: Hold = async (response) => {
    // axios reads them in the same way, though its types do not have it.
    const headers = AxiosHeaders.from(response.headers as never)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other part is read
    onResponse(responseHeadOf({ status: response.status, headers } as AxiosResponse))
    if (await isWanted) return response
    discardData(response.body)
    throw new Error('[@svc/auth-hooks] this response is not needed')
  }
  return {
    changes: {
      env: { ...env, fetch: holdingFetch(env?.fetch) },
      fetchOptions: { ...fetchOptions, redirect: 'manual', [ownOption]: hold },
    },
    accept: () => decide(true),
    end: () => decide(false),
  }
}

/** axios keeps an adapter for each `fetch` for good, so each has one function. */
const holding = new WeakMap<object, FetchOfAxios>()

function holdingFetch(given: FetchOfAxios | undefined): FetchOfAxios {
  const key = given ?? holding
  const known = holding.get(key)
  if (known) return known
  const made: FetchOfAxios = async (input, init) => {
    const { [ownOption]: hold, ...rest }: RequestInit & { [ownOption]?: Hold } = init ?? {}
    const response = await (given ?? globalThis.fetch)(input, rest)
    return hold ? hold(response) : response
  }
  holding.set(key, made)
  return made
}
