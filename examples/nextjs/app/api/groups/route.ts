// A Next.js route handler that calls the service: GET /api/groups
import { AuthError } from '@svc/service-auth'
import { connection } from 'next/server'
import { readGroups } from '../../../lib/service'

export async function GET({ signal }: Request): Promise<Response> {
  // Outside of the `try`: its rejection ends the prerendering of `next build`, and is no failure.
  await connection()
  try {
    return Response.json(await readGroups(signal))
  } catch (error) {
    // For the console: it holds no secret, and in `serverMessage` the service's own words.
    console.error(error)
    if (AuthError.is(error)) return Response.json({ code: error.code }, { status: 503 })
    return new Response('the service is not available', { status: 502 })
  }
}
