import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../tests/support/run-program.ts'
import { repository } from '../release/repository.ts'

/** Lines that a file may not have, and lines that it may, by the file. */
const rules: readonly {
  readonly file: string
  readonly wrong: readonly string[]
  readonly right: readonly string[]
}[] = [
  {
    file: 'auth-hooks/src/kit/urls.ts',
    wrong: [
      `import { a } from '../kernel/request.ts'`,
      `import type { a } from '../kernel/request.ts'`,
      `export { a } from '../index.ts'`,
      `export const a = import('../fetch/auth-fetch.ts')`,
    ],
    right: [`import { a } from './errors.ts'`, `import type { a } from '@svc/types'`],
  },
  {
    file: 'auth-hooks/src/kernel/exchange.ts',
    wrong: [
      `import { a } from '../node/client-request.ts'`,
      `import type { a } from '../axios/request.ts'`,
      `import { a } from '../scheme.ts'`,
    ],
    right: [`import { a } from '../kit/urls.ts'`, `import { a } from './redirect.ts'`],
  },
  {
    file: 'auth-hooks/src/node/client-request.ts',
    wrong: [`import { a } from '../got/request.ts'`],
    right: [`import { a } from '../kernel/headers.ts'`, `import { a } from '../kit/errors.ts'`],
  },
  {
    file: 'auth-hooks/src/fetch/auth-fetch.ts',
    wrong: [
      `import { a } from '../undici/request.ts'`,
      `import { a } from '../node/client-request.ts'`,
    ],
    right: [`import { a } from '../kernel/exchange.ts'`, `import { a } from './ky.ts'`],
  },
  ...['axios', 'got', 'undici'].map((client) => ({
    file: `auth-hooks/src/${client}/request.ts`,
    wrong: [
      `import type { a } from '../fetch/ky.ts'`,
      `import { a } from '../${client === 'got' ? 'axios' : 'got'}/request.ts'`,
      `import { a } from '../index.ts'`,
    ],
    right: [`import { a } from '../node/client-request.ts'`, `import { a } from './transport.ts'`],
  })),
  {
    file: 'auth-hooks/src/scheme.ts',
    wrong: [`export { a } from './kernel/request.ts'`, `export type { a } from './index.ts'`],
    right: [`export { a } from './kit/urls.ts'`],
  },
  {
    file: 'auth-hooks/src/index.ts',
    wrong: [],
    right: [`export { a } from './fetch/auth-fetch.ts'`, `export { a } from './kit/errors.ts'`],
  },
  {
    file: 'auth-token/src/session/session.ts',
    wrong: [
      `import { a } from '../sharing/sharing.ts'`,
      `import { a } from '../stores/memory.ts'`,
      `export const a = import('../stores/file/file-store.ts')`,
    ],
    right: [`import type { a } from '../stores/store.ts'`, `import { a } from '../token.ts'`],
  },
  {
    file: 'auth-token/src/index.ts',
    wrong: [`export { a } from './stores/memory.ts'`],
    right: [`export type { a } from './stores/store.ts'`],
  },
  {
    file: 'auth-token/src/login/login.ts',
    wrong: [`import { a } from '../sharing/sharing.ts'`, `import { a } from '../stores/memory.ts'`],
    right: [`import { a } from '../timers.ts'`],
  },
  {
    file: 'auth-token/src/sharing/sharing.ts',
    wrong: [`import { a } from '../session/session.ts'`, `import { a } from '../token-auth.ts'`],
    right: [
      `import type { a } from '../session/session.ts'`,
      `import { a } from '../login/login.ts'`,
    ],
  },
  {
    file: 'auth-token/src/stores/file/file-store.ts',
    wrong: [`import { a } from '../../token-auth.ts'`],
    right: [
      `import { a } from '../../sharing/sharing.ts'`,
      `import type { a } from '../../token-auth.ts'`,
    ],
  },
  {
    file: 'auth-sigv4/src/diagnose/diagnose.ts',
    wrong: [
      `import { a } from '../signer.ts'`,
      `import { a } from '../sigv4-auth.ts'`,
      `import { a } from '../engines/native.ts'`,
    ],
    right: [
      `import type { a } from '../sigv4-auth.ts'`,
      `import { a } from '../canonical-query.ts'`,
    ],
  },
  {
    file: 'auth-sigv4/src/engines/native.ts',
    wrong: [`import { a } from '../signer.ts'`, `import type { a } from '../credentials.ts'`],
    right: [`import type { a } from './engine.ts'`, `import { a } from '../canonical-query.ts'`],
  },
  {
    file: 'cli/src/proxy/server.ts',
    wrong: [`import { a } from '../commands/fetch/fetch.ts'`],
    right: [`import { a } from '../service.ts'`, `import { a } from './rules.ts'`],
  },
  {
    file: 'emulator/src/exchange.ts',
    wrong: [
      `import { a } from '@svc/auth-hooks'`,
      `import type { a } from '@svc/auth-sigv4'`,
      `import { a } from '@svc/service-auth'`,
    ],
    right: [`import { a } from './routes.ts'`, `import type { a } from '@svc/types'`],
  },
  {
    file: 'emulator/src/http/request.ts',
    wrong: [`import { a } from '../options.ts'`, `import { a } from '../sigv4/verify.ts'`],
    right: [`import { a } from './response.ts'`],
  },
  {
    file: 'emulator/src/sigv4/verify.ts',
    wrong: [`import { a } from '../http/response.ts'`, `import { a } from '../user/tokens.ts'`],
    right: [`import type { a } from '../http/request.ts'`],
  },
  {
    file: 'emulator/src/user/login.ts',
    wrong: [`import { a } from '../objects/store.ts'`, `import { a } from '../sigv4/verify.ts'`],
    right: [`import { a } from '../sigv4/signature.ts'`, `import { a } from '../http/response.ts'`],
  },
  {
    file: 'emulator/src/objects/routes.ts',
    wrong: [`import { a } from '../user/tokens.ts'`, `import { a } from '../options.ts'`],
    right: [`import { a } from '../sigv4/verify.ts'`],
  },
  {
    file: 'emulator/test/cli.test.ts',
    wrong: [`import { a } from '../src/cli.ts'`],
    right: [`import { a } from './testing.ts'`],
  },
  { file: 'emulator/test/testing.ts', wrong: [], right: [`import { a } from '../src/cli.ts'`] },
]

const cases = rules.flatMap(({ file, wrong, right }) =>
  [...wrong, ...right].map((line, index) => ({
    file,
    line,
    place: `packages/${file}:${index + 1}`,
    isWrong: index < wrong.length,
  })),
)

/** The output of oxlint with `--format=json`, as far as it is read. */
interface Report {
  readonly diagnostics: readonly {
    readonly code: string
    readonly filename: string
    readonly labels: readonly { readonly span: { readonly line: number } }[]
  }[]
}

describe('the linter lets arrows go down only', () => {
  let complaints: ReadonlySet<string>
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'import-rules-'))
    try {
      await cp(join(repository, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
      for (const { file, wrong, right } of rules) {
        const path = join(folder, 'packages', file)
        // No name twice, since a module may not have that.
        const lines = [...wrong, ...right].map((line, index) => line.replace(/\ba\b/, `a${index}`))
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, lines.join('\n'))
      }
      const oxlint = join(repository, 'node_modules/.bin/oxlint')
      const { stdout } = await run('sh', ['-c', `cd "${folder}" && "${oxlint}" --format=json`])
      // oxlint wrote it.
      const { diagnostics } = JSON.parse(stdout) as Report
      complaints = new Set(
        diagnostics
          .filter(({ code }) => code === 'eslint(no-restricted-imports)')
          .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`),
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test.each(cases.filter(({ isWrong }) => isWrong))('$file may not have: $line', ({ place }) => {
    expect(complaints.has(place)).toBe(true)
  })

  test.each(cases.filter(({ isWrong }) => !isWrong))('$file may have: $line', ({ place }) => {
    expect(complaints.has(place)).toBe(false)
  })
})
