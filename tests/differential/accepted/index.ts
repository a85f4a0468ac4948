import { ofAxios } from './axios.ts'
import { ofEveryClient } from './every-client.ts'
import { ofFetch } from './fetch.ts'
import { ofGot } from './got.ts'
import { ofNodeHttp } from './node-http.ts'
import type { AcceptedDifference } from './row.ts'
import { ofUndici } from './undici.ts'

/** Every difference that is meant to be. */
export const accepted: readonly AcceptedDifference[] = [
  ...ofEveryClient,
  ...ofFetch,
  ...ofNodeHttp,
  ...ofAxios,
  ...ofGot,
  ...ofUndici,
]
