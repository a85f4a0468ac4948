import { atService, type FirstService } from '../support/first-use.ts'
import { readmes, readSnippets } from '../support/readme-snippets.ts'

/** The first snippet of a README, with what it prints for an account that sees no groups. */
export interface FirstSnippet {
  readonly readme: string
  readonly printed: string
  /** The packages that it imports. */
  readonly imports: readonly string[]
  /** Returns its code, with a service of ours in place of the real one. */
  readonly code: (service: FirstService) => string
}

const printed = new Map([
  ['packages/auth-hooks/README.md', '200\n'],
  ['packages/auth-sigv4/README.md', 'a;b;c\n'],
  ['packages/auth-token/README.md', '[]\n'],
  // It asserts.
  ['packages/emulator/README.md', ''],
  ['packages/route-auth-selector/README.md', '200 200\n'],
  ['packages/service-auth/README.md', '200 200\n'],
  ['packages/types/README.md', '[]\n'],
])

/** The first snippet of every package's README but that of the command, which has none. */
export const firstSnippets: readonly FirstSnippet[] = readmes
  .filter((readme) => readme !== 'README.md')
  .flatMap((readme) => readSnippets(readme).slice(0, 1))
  .map(({ place, code }) => {
    const readme = place.replace(/:\d+$/, '')
    const modules = [...code.matchAll(/ from '((?:@[^/']+\/)?[^/']+)/g)].map(
      ([, name = '']) => name,
    )
    return {
      readme,
      printed: printed.get(readme) ?? `${readme} is not in this table`,
      imports: [...new Set(modules.filter((name) => !name.startsWith('node:')))].sort(),
      code: (service) => atService(code, service),
    }
  })
