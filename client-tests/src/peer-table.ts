import { markdownTable } from '../../test-support/markdown-table.ts'
import type { PeerLeak } from './peers.ts'

/** What clients take along to another origin by themselves, and with an adapter. */
export function peerTable(leaks: readonly PeerLeak[]): string {
  const rows = leaks.map(({ client, setBy, bare, withAdapter }) => [
    client,
    setBy,
    listed(bare),
    listed(withAdapter),
  ])
  const head = ['after a redirect away', 'set by', 'arrives with the bare client', 'with svc-auth']
  return markdownTable([head, ...rows])
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(', ')
}
