// A page that calls the service for each visit: GET /
import { Suspense, type ReactElement } from 'react'
import { readGroups } from '../lib/service'

export default function Page(): ReactElement {
  return (
    <Suspense fallback={<p>…</p>}>
      <Groups />
    </Suspense>
  )
}

async function Groups(): Promise<ReactElement> {
  return <p>{(await readGroups()).length} groups</p>
}
