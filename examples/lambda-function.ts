// A Lambda function behind an HTTP API that calls the service, invoked with events as AWS sends them.
import { AuthError } from '@svc/auth-token'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { readGroups } from './lib/service.ts'
import { eventOf } from './stand-ins/http-api.ts'
import { startService, visit } from './stand-ins/visitors.ts'

export async function handler({
  rawPath,
}: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  try {
    const groups = await readGroups()
    if (rawPath === '/api/groups') return { statusCode: 200, body: JSON.stringify(groups) }
    if (rawPath === '/api/groups/count') {
      return { statusCode: 200, body: JSON.stringify({ count: groups.length }) }
    }
    const headers = { 'content-type': 'text/html' }
    return { statusCode: 200, headers, body: `<p>${groups.length} groups</p>` }
  } catch (error) {
    // Neither the code nor the message contains a secret.
    if (AuthError.is(error)) return { statusCode: 503, body: JSON.stringify({ code: error.code }) }
    return { statusCode: 502, body: 'the service is not available' }
  }
}

const { emulator, close } = await startService()
await visit(emulator, async (path) => {
  const { statusCode, body } = await handler(eventOf(path))
  return new Response(body, { status: statusCode ?? 200 })
})
await close()
