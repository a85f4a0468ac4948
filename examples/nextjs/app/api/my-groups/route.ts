// A route handler with the visitor's own account: GET /api/my-groups
import { AuthError } from '@svc/service-auth'
import { readGroups } from '../../../lib/service'
import { visitor } from '../../../lib/session'

export async function GET({ signal }: Request): Promise<Response> {
  // Outside of the `try`, since it waits for a visit.
  const user = (await visitor())?.user
  if (!user) return new Response(null, { status: 401 })
  try {
    return Response.json(await readGroups(user, signal))
  } catch (error) {
    // The visitor's password was changed.
    if (AuthError.is(error) && error.status === 401) return new Response(null, { status: 401 })
    console.error(error)
    return new Response('the service is not available', { status: 503 })
  }
}
