import { versionOf } from '../clients/version-of.ts'
import { markdownTable } from '../support/markdown-table.ts'
import type { CheckResult } from './report.ts'
import type { RuntimeRun } from './run-all.ts'

/** A client as the table names it. */
interface Row {
  readonly client: string
  readonly adapter: string
  /** Its packages as they are installed here, with the runtime where that is another major. */
  readonly packages: readonly (readonly [name: string, runtime?: string])[]
  /** What it is made of is in no browser and in no engine of an app. */
  readonly needsNode?: true
}

const rows: readonly Row[] = [
  { client: 'fetch', adapter: 'authFetch', packages: [] },
  { client: 'fetch, light', adapter: 'authFetch', packages: [] },
  { client: 'ky', adapter: 'authKy', packages: [['ky'], ['ky1', 'Node 20']] },
  { client: 'axios', adapter: 'authAxios', packages: [['axios']] },
  { client: 'openapi-fetch', adapter: 'authOpenApi', packages: [['openapi-fetch']] },
  { client: 'got', adapter: 'authGot', packages: [['got'], ['got14', 'Node 20']], needsNode: true },
  {
    client: 'undici',
    adapter: 'authInterceptor',
    packages: [['undici'], ['undici7', 'Node 20']],
    needsNode: true,
  },
  { client: 'hey-api', adapter: 'authFetch', packages: [['@hey-api/client-fetch']] },
  { client: 'ofetch', adapter: 'authFetch', packages: [['ofetch']] },
  { client: 'wretch', adapter: 'authFetch', packages: [['wretch']] },
  { client: 'better-fetch', adapter: 'authFetch', packages: [['@better-fetch/fetch']] },
  { client: 'up-fetch', adapter: 'authFetch', packages: [['up-fetch']] },
]

/** The runtimes that are one to a reader. */
const columns = [
  { head: 'Node<br>20, 22, 24, 26', runs: /^Node/, hasNode: true },
  { head: 'Bun', runs: /^Bun/, hasNode: true },
  { head: 'Deno', runs: /^Deno/, hasNode: true },
  { head: 'Cloudflare Workers<br>(workerd)', runs: /^Cloudflare/, hasNode: true },
  { head: 'browsers<br>(Chromium)', runs: /^(?:Chromium|Web Worker)/, hasNode: false },
  { head: 'React Native<br>(Hermes)', runs: /^React Native/, hasNode: false },
]

const symbols = { passed: '✓', refused: '–', failed: '✗' } as const

/** Clients by runtimes. */
export function clientRuntimeTable(runs: readonly RuntimeRun[]): string {
  const body = rows.map((row) => {
    const name = [row.client, versionsOf(row)].join(' ').trim()
    const cells = columns.map(({ runs: names, hasNode }) => {
      const checks = runs
        .filter((run) => names.test(run.name))
        .map((run) => run.checks.find(({ client }) => client === row.client))
      return row.needsNode && !hasNode ? '–' : cellOf(checks)
    })
    return [name].concat(cells, `\`${row.adapter}\``)
  })
  return markdownTable([['client', ...columns.map(({ head }) => head), 'through'], ...body])
}

/** A tick is for all runtimes of a column. */
function cellOf(checks: readonly (CheckResult | undefined)[]): string {
  const found = checks.map((check) => (check ? symbols[check.outcome] : 'not tested'))
  return [...new Set(found)].join(' ')
}

function versionsOf({ packages }: Row): string {
  return packages
    .map(([name, runtime]) => (runtime ? `${runtime}: ${versionOf(name)}` : versionOf(name)))
    .join('<br>')
}
