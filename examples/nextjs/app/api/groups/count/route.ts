// Another route handler, which Next.js bundles by itself: GET /api/groups/count
import { account, readGroups } from '../../../../lib/service'

export async function GET({ signal }: Request): Promise<Response> {
  return Response.json({ count: (await readGroups(await account(), signal)).length })
}
