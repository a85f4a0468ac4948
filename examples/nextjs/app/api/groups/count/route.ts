// Another route handler, which Next.js bundles by itself: GET /api/groups/count
import { readGroups } from '../../../../lib/service'

export async function GET({ signal }: Request): Promise<Response> {
  return Response.json({ count: (await readGroups(signal)).length })
}
