// A route handler with a signed request: GET /api/reports
import { listReports } from '../../../lib/service'

export async function GET({ signal }: Request): Promise<Response> {
  const headers = { 'content-type': 'application/xml' }
  return new Response(await listReports(signal), { headers })
}
