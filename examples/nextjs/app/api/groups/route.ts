// A Next.js route handler that calls the service: GET /api/groups
import { account, readGroups } from '../../../lib/service'

export async function GET({ signal }: Request): Promise<Response> {
  // Outside of the `try`: it waits for a visit, so its rejection ends the prerendering of `next build`.
  const user = await account()
  try {
    return Response.json(await readGroups(user, signal))
  } catch (error) {
    // For the console: it holds no secret, and in `serverMessage` the service's own words.
    console.error(error)
    return new Response('the service is not available', { status: 503 })
  }
}
