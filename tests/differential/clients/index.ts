import { axiosClients } from './axios.ts'
import type { Client } from './client.ts'
import { fetchClients } from './fetch.ts'
import { gotClients } from './got.ts'
import { kyClients } from './ky.ts'
import { openApiClients } from './openapi-fetch.ts'
import { undiciClients } from './undici.ts'

/** Every adapter with each client and major that it serves. */
export const clients: readonly Client[] = [
  ...fetchClients,
  ...kyClients,
  ...axiosClients,
  ...gotClients,
  ...undiciClients,
  ...openApiClients,
]
