import type { ClientUnderTest } from '../client.ts'
import { axios17Clients, axiosFetchClient, axiosHttpClient } from './axios.ts'
import { betterFetchClient } from './better-fetch.ts'
import { fetchClient } from './fetch.ts'
import { got16Client, olderGotClients } from './got.ts'
import { graphqlRequestClient } from './graphql-request.ts'
import { ky1Client, ky1HooksClient, ky2Client, ky2HooksClient } from './ky.ts'
import { ofetchClient } from './ofetch.ts'
import { openapiFetchClient } from './openapi-fetch.ts'
import { moreUndiciClients, undiciRequestClient } from './undici.ts'
import { upFetchClient } from './up-fetch.ts'
import { wretchClient } from './wretch.ts'

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
