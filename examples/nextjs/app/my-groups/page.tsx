// A page with the visitor's own account: GET /my-groups
import { AuthError } from '@svc/service-auth'
import { redirect } from 'next/navigation'
import { Suspense, type ReactElement } from 'react'
import { readGroups } from '../../lib/service'
import { visitor } from '../../lib/session'
import { logOut } from '../login/actions'

export default function Page(): ReactElement {
  return (
    <Suspense fallback={<p>…</p>}>
      <Groups />
    </Suspense>
  )
}

async function Groups(): Promise<ReactElement> {
  const user = (await visitor())?.user
  if (!user) redirect('/login')
  const groups = await readGroups(user).catch((error: unknown) => {
    // The password was changed.
    if (AuthError.is(error) && error.status === 401) redirect('/login')
    throw error
  })
  return (
    <form action={logOut}>
      {user.username}: {groups.map(({ name }) => name).join(', ')} <button>Sign out</button>
    </form>
  )
}
