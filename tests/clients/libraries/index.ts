import { atNight } from '../../support/nightly.ts'
import type { ClientUnderTest } from '../client.ts'
import { axios17Clients, axiosEnvFetchClient, axiosFetchClient, axiosHttpClient } from './axios.ts'
import { betterFetchClient } from './better-fetch.ts'
import { fetchClient, fetchRequestClient } from './fetch.ts'
import { got16Client, olderGotClients } from './got.ts'
import { graphqlRequestClient } from './graphql-request.ts'
import { heyApiClient } from './hey-api.ts'
import {
  ky1Client,
  ky1FetchClient,
  ky1HooksClient,
  ky2Client,
  ky2FetchClient,
  ky2HooksClient,
} from './ky.ts'
import { ofetchClient } from './ofetch.ts'
import { openapiFetchClient } from './openapi-fetch.ts'
import { moreUndiciClients, undiciRequestClient } from './undici.ts'
import { upFetchClient } from './up-fetch.ts'
import { wretchClient } from './wretch.ts'

/** Every client, in the order of the columns. */
export const clients: readonly ClientUnderTest[] = [
  fetchClient,
  fetchRequestClient,
  ky2Client,
  ky1Client,
  ky2FetchClient,
  ky1FetchClient,
  ky2HooksClient,
  ky1HooksClient,
  axiosHttpClient,
  axiosFetchClient,
  ...axios17Clients,
  axiosEnvFetchClient,
  got16Client,
  ...olderGotClients,
  undiciRequestClient,
  ...moreUndiciClients,
  openapiFetchClient,
  heyApiClient,
  ofetchClient,
  wretchClient,
  betterFetchClient,
  upFetchClient,
  graphqlRequestClient,
]

/** Older majors, and what takes a `fetch` as ky and openapi-fetch do. */
const others = new Set([
  ky1FetchClient,
  ky1HooksClient,
  ...axios17Clients,
  ...olderGotClients,
  ...moreUndiciClients,
  heyApiClient,
  ofetchClient,
  wretchClient,
  betterFetchClient,
  upFetchClient,
  graphqlRequestClient,
])

/** The clients of a run: at night every one, else one of each kind in the majors that people install today, and ky 1. */
export const triedClients: readonly ClientUnderTest[] = atNight(
  clients,
  clients.filter((client) => !others.has(client)),
)
