// A page that calls the service for each visit: GET /
import { Suspense, type ReactElement } from 'react'
import { listReports, readGroups } from '../lib/service'

export default function Page(): ReactElement {
  return (
    <Suspense fallback={<p>…</p>}>
      <Groups />
      <Reports />
    </Suspense>
  )
}

async function Groups(): Promise<ReactElement> {
  return <p>{(await readGroups()).length} groups</p>
}

async function Reports(): Promise<ReactElement> {
  return <p>{(await listReports()).split('<Key>').length - 1} reports</p>
}
