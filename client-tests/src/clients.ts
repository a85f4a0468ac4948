import type { ClientUnderTest } from './client.ts'
import { axios17Clients, axiosFetchClient, axiosHttpClient } from './clients/axios.ts'
import { betterFetchClient } from './clients/better-fetch.ts'
import { fetchClient } from './clients/fetch.ts'
import { got16Client, olderGotClients } from './clients/got.ts'
import { graphqlRequestClient } from './clients/graphql-request.ts'
import { ky1Client, ky1HooksClient, ky2Client, ky2HooksClient } from './clients/ky.ts'
import { ofetchClient } from './clients/ofetch.ts'
import { openapiFetchClient } from './clients/openapi-fetch.ts'
import { moreUndiciClients, undiciRequestClient } from './clients/undici.ts'
import { upFetchClient } from './clients/up-fetch.ts'
import { wretchClient } from './clients/wretch.ts'

/** Every client, in the order of the columns. */
export const clients: readonly ClientUnderTest[] = [
  fetchClient,
  ky2Client,
  ky1Client,
  ky2HooksClient,
  ky1HooksClient,
  axiosHttpClient,
  axiosFetchClient,
  ...axios17Clients,
  got16Client,
  ...olderGotClients,
  undiciRequestClient,
  ...moreUndiciClients,
  openapiFetchClient,
  ofetchClient,
  wretchClient,
  betterFetchClient,
  upFetchClient,
  graphqlRequestClient,
]
