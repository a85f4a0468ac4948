// GET /api/cached-reports
import { listCachedReports } from '../../../lib/cached-reports'

export async function GET(): Promise<Response> {
  return new Response(await listCachedReports(), { headers: { 'content-type': 'application/xml' } })
}
