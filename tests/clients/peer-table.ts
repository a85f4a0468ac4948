import { markdownTable } from '../support/markdown-table.ts'
import type { PeerLeak } from './peers.ts'

/** A table of what clients take along to another origin, by themselves and with an adapter. */
export function peerTable(leaks: readonly PeerLeak[]): string {
  const head = ['a redirect to another origin carries', 'by itself', 'with its adapter']
  const rows = leaks.map(({ client, bare, withAdapter }) => [
    client,
    listed(bare),
    withAdapter === 'refused' ? 'nothing: it is refused' : listed(withAdapter),
  ])
  return markdownTable([head, ...rows])
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(', ')
}
