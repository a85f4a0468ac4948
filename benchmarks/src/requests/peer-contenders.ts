import { createSignedFetcher } from 'aws-sigv4-fetch'
import { aws4Interceptor } from 'aws4-axios'
import { AwsClient } from 'aws4fetch'
import axios from 'axios'
import type { RequestContender } from './contender.ts'
import { paths, region } from './schemes.ts'

const peer = { isBare: false, credential: 'signature' } as const

/** Other clients that sign. */
export const peerContenders: readonly RequestContender[] = [
  {
    ...peer,
    name: 'aws4fetch',
    client: 'fetch',
    async connect({ baseUrl, apiKey }) {
      const url = baseUrl + paths.signature
      const client = new AwsClient({ ...apiKey, region, service: 's3' })
      return async () => {
        const response = await client.fetch(url)
        await response.arrayBuffer()
        return response.status
      }
    },
  },
  {
    ...peer,
    name: 'aws-sigv4-fetch',
    client: 'fetch',
    async connect({ baseUrl, apiKey }) {
      const url = baseUrl + paths.signature
      const signedFetch = createSignedFetcher({ service: 's3', region, credentials: apiKey })
      return async () => {
        const response = await signedFetch(url)
        await response.arrayBuffer()
        return response.status
      }
    },
  },
  {
    ...peer,
    name: 'axios with aws4-axios',
    client: 'axios',
    async connect({ baseUrl, apiKey }) {
      const url = baseUrl + paths.signature
      const client = axios.create({ responseType: 'arraybuffer' })
      client.interceptors.request.use(
        aws4Interceptor({ options: { region, service: 's3' }, credentials: apiKey }),
      )
      return async () => (await client.get(url)).status
    },
  },
]
