// A page that calls the service for each visit: GET /
import { Suspense, type ReactElement } from 'react'
import { account, listReports, readGroups } from '../lib/service'

export default function Page(): ReactElement {
  return (
    <Suspense fallback={<p>…</p>}>
      <Groups />
      <Reports />
    </Suspense>
  )
}

async function Groups(): Promise<ReactElement> {
  const groups = await readGroups(await account())
  return <p>{groups.length} groups</p>
}

async function Reports(): Promise<ReactElement> {
  return <p>{(await listReports()).split('<Key>').length - 1} reports</p>
}
