// Passes an upload on while it arrives: PUT /api/reports/<name>
import { AuthError } from '@svc/service-auth'
import { send } from '../../../../lib/service'

interface Context {
  params: Promise<{ name: string }>
}

export async function PUT(request: Request, { params }: Context): Promise<Response> {
  const { name } = await params
  const { body, headers, signal } = request
  // The service takes no body of unknown length. That is the visitor's to know.
  const length = headers.get('content-length')
  if (length === null) return new Response(null, { status: 411 })
  if (!/^[\w-][\w.-]*$/.test(name)) return new Response(null, { status: 400 })
  try {
    const type = headers.get('content-type') ?? 'application/octet-stream'
    const init = { headers: { 'content-length': length, 'content-type': type }, body, signal }
    await send(`/V1/reports/${name}`, { method: 'PUT', ...init })
    return new Response(null, { status: 201 })
  } catch (error) {
    console.error(error)
    // A body that broke off is the visitor's fault.
    const isCut = AuthError.is(error) && error.code === 'ERR_AUTH_BODY'
    if (isCut) return new Response(null, { status: 400 })
    return new Response('the service is not available', { status: 503 })
  }
}
