import { ofAxios } from './axios.ts'
import { ofEveryClient } from './every-client.ts'
import { ofFetch } from './fetch.ts'
import type { AcceptedDifference } from './row.ts'

/** Every difference that is meant to be. */
export const accepted: readonly AcceptedDifference[] = [...ofEveryClient, ...ofFetch, ...ofAxios]
