// A page that calls the service while it is rendered: GET /
import type { ReactElement } from 'react'
import { readGroups } from '../lib/service.ts'

// Rendered for each visit, not by `next build`.
export const dynamic = 'force-dynamic'

export default async function Page(): Promise<ReactElement> {
  return <p>{(await readGroups()).length} groups</p>
}
