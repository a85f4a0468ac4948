import type { OpenClient } from './client.ts'

/** Loads the client of an adapter, and no others: a start takes half as long. */
export async function loadClient(adapter: string): Promise<OpenClient> {
  const { openClients } = await load(adapter)
  const open = openClients[adapter]
  if (!open) throw new Error(`there is no adapter ${adapter}`)
  return open
}

function load(adapter: string): Promise<{ openClients: Readonly<Record<string, OpenClient>> }> {
  if (adapter.startsWith('ky')) return import('./ky.ts')
  if (adapter.startsWith('axios')) return import('./axios.ts')
  if (adapter.startsWith('got')) return import('./got.ts')
  if (adapter.startsWith('undici')) return import('./undici.ts')
  if (adapter.startsWith('openapi')) return import('./openapi-fetch.ts')
  if (adapter.startsWith('broken')) return import('./broken.ts')
  return import('./fetch.ts')
}
