// A Next.js route handler that calls the service: GET /api/groups
import { AuthError } from '@svc/auth-token'
import { readGroups } from '../../../lib/service'

export async function GET({ signal }: Request): Promise<Response> {
  try {
    return Response.json(await readGroups(signal))
  } catch (error) {
    // Neither the code nor the message contains a secret.
    if (AuthError.is(error)) return Response.json({ code: error.code }, { status: 503 })
    return new Response('the service is not available', { status: 502 })
  }
}
