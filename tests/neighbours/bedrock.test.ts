import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { AuthError, authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { awsCredentials } from '@svc/auth-sigv4/credentials'
import { defaultApiKeys } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { embed, generateText } from 'ai'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type AwsServer, startAwsServer } from '../works-with/aws-server.ts'

const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
const region = 'eu-central-1'
// Its colon is escaped in the path, and once more where it is signed.
const model = 'anthropic.claude-3-haiku-20240307-v1:0'
const host = `https://bedrock-runtime.${region}.amazonaws.com`

function respond({ url }: Request): Response {
  if (!url.endsWith('/converse'))
    return Response.json({ embedding: [1, 2], inputTextTokenCount: 1 })
  return Response.json({
    output: { message: { role: 'assistant', content: [{ text: 'Hello, Berlin: 12 °C' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  })
}

let server: AwsServer
beforeEach(async () => {
  server = await startAwsServer({ service: 'bedrock', region }, respond)
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey)
  vi.stubEnv('AWS_SESSION_TOKEN', undefined)
  vi.stubEnv('AWS_PROFILE', undefined)
  vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

/** It signs by itself. */
function withProvider(fetch: Fetch) {
  return createAmazonBedrock({ region, credentialProvider: awsCredentials(), fetch })
}

/** The scheme signs. */
function withScheme(fetch: Fetch, credentials = awsCredentials()) {
  const aws = authFetch(createAwsAuth({ credentials }), { fetch })
  // #region bedrock
  const bedrock = createAmazonBedrock({
    region,
    apiKey: 'unused',
    fetch(input, init) {
      const headers = new Headers(init?.headers)
      headers.delete('authorization') // that of the unused key
      return aws(input, { ...init, headers })
    },
  })
  // #endregion
  return bedrock
}

test.each([withProvider, withScheme])('%o: the service takes every signature', async (connect) => {
  const bedrock = connect(server.fetch)
  const prompt = 'How warm is it in Köln? 🌡️'
  const { text } = await generateText({ model: bedrock(model), prompt })
  expect(text).toBe('Hello, Berlin: 12 °C')
  const titan = bedrock.embedding('amazon.titan-embed-text-v2:0')
  expect((await embed({ model: titan, value: prompt })).embedding).toEqual([1, 2])
  expect(server.arrived.map(({ url }) => url)).toEqual([
    `${host}/model/${encodeURIComponent(model)}/converse`,
    `${host}/model/amazon.titan-embed-text-v2%3A0/invoke`,
  ])
  expect(server.arrived.filter(({ verification }) => !verification.ok)).toEqual([])
})

test.each([withProvider, withScheme])('%o: an unknown key is refused, once', async (connect) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDUNKNOWN')
  const call = generateText({ model: connect(server.fetch)(model), prompt: 'x' })
  await expect(call).rejects.toMatchObject({ statusCode: 403 })
  expect(server.arrived).toHaveLength(1)
})

test('without a key nothing is sent, and each says what was tried', async () => {
  const credentials = Object.assign(
    () => Promise.reject(new AuthError('ERR_AUTH_CREDENTIALS', 'tried nothing')),
    { region: async () => region },
  )
  const call = generateText({ model: withScheme(server.fetch, credentials)(model), prompt: 'x' })
  const error: unknown = await call.catch((reason: unknown) => reason)
  expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_CREDENTIALS')
  const own = createAmazonBedrock({ region, credentialProvider: credentials, fetch: server.fetch })
  await expect(generateText({ model: own(model), prompt: 'x' })).rejects.toThrow('tried nothing')
  expect(server.arrived).toEqual([])
})

test('the header of the placeholder must go: a request with another one is not signed', async () => {
  const credentials = { accessKeyId, secretAccessKey }
  const scope = { baseUrl: host, service: 'bedrock', region }
  for (const auth of [createAwsAuth({ credentials }), createSigV4Auth({ ...scope, credentials })]) {
    const fetch = authFetch(auth, { fetch: server.fetch })
    const bedrock = createAmazonBedrock({ region, apiKey: 'unused', fetch })
    await expect(generateText({ model: bedrock(model), prompt: 'x' })).rejects.toMatchObject({
      code: 'ERR_AUTH_HEADER',
    })
  }
  expect(server.arrived).toEqual([])
})
