import type { Topic } from './neighbour.ts'

const otherProtocol =
  'To a server of its own protocol, behind a token: ten calls share one login, a refused token costs one more, a refused login reaches the caller and is not repeated, an abort ends the call and its request.'
const givesWay = 'Its own `authorization` header gives way to that of the scheme.'
const retriesItself = 'Its own retries of a refused login send nothing.'
const inCause = 'A refused login is the `cause` of its own error: ask `AuthError.is(error.cause)`.'

/** Libraries that send requests. */
export const libraries: readonly Topic[] = [
  {
    title: 'Generated clients',
    tried:
      'A client is generated from the OpenAPI document of the examples, bundled, and lists groups with a token, then stores and reads an object with signatures; a refused login reaches the caller and is not repeated. [Compatibility](compatibility.md#clients) has its retries, aborts and errors.',
    neighbours: [
      {
        name: 'hey-api',
        packages: ['@hey-api/openapi-ts'],
        test: 'clients/generated-clients.test.ts',
        region: 'hey-api',
        notes: ['Its clients for axios and ky are tried too: they take `authAxios` and `authKy`.'],
      },
      {
        name: 'openapi-typescript and openapi-fetch',
        packages: ['openapi-typescript', 'openapi-fetch'],
        test: 'clients/generated-clients.test.ts',
        region: 'openapi-fetch',
      },
      {
        name: 'orval',
        packages: ['orval'],
        test: 'clients/generated-clients.test.ts',
        region: 'orval',
        notes: ['The code is its `mutator`, which orval asks of anyone who changes how it sends.'],
      },
    ],
  },
  {
    title: 'GraphQL and RPC',
    tried: otherProtocol,
    neighbours: [
      {
        name: 'graphql-request',
        packages: ['graphql-request'],
        test: 'works-with/graphql-request.test.ts',
        region: 'graphql-request',
      },
      {
        name: 'urql',
        packages: ['@urql/core'],
        test: 'neighbours/urql.test.ts',
        region: 'urql',
        notes: [
          'A refused login is the `networkError` of its `CombinedError`: ask `AuthError.is(error.networkError)`.',
          'It replaces a `signal` in `fetchOptions` by its own: unsubscribe to abort.',
        ],
      },
      {
        name: 'Apollo Client',
        packages: ['@apollo/client'],
        test: 'neighbours/apollo.test.ts',
        region: 'apollo',
      },
      {
        name: 'tRPC',
        packages: ['@trpc/client'],
        test: 'neighbours/trpc.test.ts',
        region: 'trpc',
        notes: [
          inCause,
          'With `exactOptionalPropertyTypes`, its type of `fetch` takes neither this one nor the platform’s.',
        ],
      },
      {
        name: 'Connect',
        packages: ['@connectrpc/connect-web'],
        test: 'neighbours/connect.test.ts',
        region: 'connect',
        notes: [
          inCause,
          'The transports of `@connectrpc/connect-node` send by `node:http` and take no `fetch`: on Node, use this one.',
        ],
      },
      {
        name: 'Hono’s client',
        packages: ['hono'],
        test: 'neighbours/hono.test.ts',
        region: 'hono',
      },
    ],
  },
  {
    title: 'SDKs',
    tried: otherProtocol,
    neighbours: [
      {
        name: 'OpenAI',
        packages: ['openai'],
        test: 'neighbours/openai.test.ts',
        region: 'openai',
        notes: [givesWay, retriesItself, inCause],
      },
      {
        name: 'Anthropic',
        packages: ['@anthropic-ai/sdk'],
        test: 'neighbours/anthropic.test.ts',
        region: 'anthropic',
        notes: [retriesItself, inCause],
      },
      {
        name: 'Supabase',
        packages: ['@supabase/supabase-js'],
        test: 'neighbours/supabase.test.ts',
        region: 'supabase',
        notes: [givesWay, 'Its realtime channels are WebSockets, which no `fetch` opens.'],
      },
    ],
  },
  {
    title: 'Signed for AWS',
    tried:
      'To a server in the place of AWS, which lets in what is signed for its host. `aws` is the `authFetch(createAwsAuth({ credentials: awsCredentials() }))` of [the guide](guides/aws.md).',
    neighbours: [
      {
        name: 'AI SDK with Amazon Bedrock',
        packages: ['@ai-sdk/amazon-bedrock', 'ai'],
        test: 'neighbours/bedrock.test.ts',
        region: 'bedrock',
        notes: [
          'It can also sign by itself: `createAmazonBedrock({ region, credentialProvider: awsCredentials() })`. It prefers `AWS_BEARER_TOKEN_BEDROCK`, if the environment has it.',
          'Without the line that removes its `authorization` header, the error is an `ERR_AUTH_HEADER`, and nothing is sent.',
          'The error of a key that is not found is an `AuthError`; with `credentialProvider`, it is an `Error` that quotes it.',
          'It needs Node 22.',
        ],
      },
      {
        name: 'Hono’s client with a Lambda URL',
        packages: ['hono'],
        test: 'neighbours/hono.test.ts',
        region: 'hono-aws',
        notes: ['`host` is such as `https://abc123.lambda-url.eu-central-1.on.aws`.'],
      },
      {
        name: 'OpenTelemetry’s spans to X-Ray',
        packages: ['@opentelemetry/otlp-transformer', '@opentelemetry/sdk-trace'],
        test: 'neighbours/otlp.test.ts',
        region: 'otlp',
        notes: [
          'Give it to a `BatchSpanProcessor`, which makes no spans of what it sends. `@opentelemetry/exporter-trace-otlp-http` takes headers, but no `fetch`, and a signature needs the body.',
          'The spans of an export that fails are lost, unless `aws` is the [`authFetch` that retries](guides/retries.md), with `POST` in its `methods`.',
        ],
      },
    ],
  },
  {
    title: 'Query caches and S3',
    tried: 'The emulator as the service: tokens, signatures, a refused login, an abort.',
    neighbours: [
      {
        name: 'TanStack Query',
        packages: ['@tanstack/query-core'],
        test: 'neighbours/tanstack-query.test.ts',
        region: 'tanstack-query',
        notes: [
          'Without `retry`, a component asks four times. A refused login is sent once either way.',
          'An abort needs the `signal` that the query function gets: `serviceFetch(path, { signal })`.',
        ],
      },
      {
        name: 'AWS SDK for S3',
        packages: ['@aws-sdk/client-s3'],
        test: 'neighbours/client-s3.test.ts',
        region: 'client-s3',
        notes: [
          'Each signs its own requests, also with a wrong clock: neither disturbs the other.',
          'It takes no `fetch`, and needs none of these packages.',
        ],
      },
    ],
  },
]
