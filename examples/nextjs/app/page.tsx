// A page that calls the service for each visit: GET /
import { connection } from 'next/server'
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
  // Everything below waits for a visit: `next build` neither logs in nor reads the clock.
  await connection()
  return <p>{(await readGroups()).length} groups</p>
}
