import { xmlErrorAnswer, type Answer } from '../http/response.ts'
import type { EmulatorSettings } from '../options.ts'
import { refusalElements } from '../http/error-xml.ts'
import { objectRoutes } from './routes.ts'
import type { ObjectSpace } from './object-space.ts'
import type { Outcome } from '../http/outcome.ts'
import { splitTarget, type RawRequest } from '../http/request.ts'
import { verifySigV4 } from '../sigv4/verify.ts'

/** Everything outside `/user`: the signature is verified, whatever the path. */
export async function signedRoutes(
  request: RawRequest,
  path: string,
  settings: EmulatorSettings,
  objects: ObjectSpace,
  now: number,
  requestId: string,
): Promise<Outcome> {
  const verification = await verifySigV4(request, { ...settings, clock: () => now })
  const { accessKeyId, signedHeaders } = verification
  const auth = {
    scheme: 'sigv4' as const,
    ok: verification.ok,
    ...(accessKeyId === undefined ? {} : { accessKeyId }),
    ...(signedHeaders === undefined ? {} : { signedHeaders }),
  }
  const resource = splitTarget(request.target).path
  if (verification.ok) {
    const { body } = verification
    const answer =
      objectRoutes({ ...request, body }, path, settings.region, objects, now) ?? nothing(resource)
    return { answer: withRequestId(answer, requestId), auth }
  }
  const answer = xmlErrorAnswer(verification.status, [
    ...refusalElements(verification),
    ['Resource', resource],
    ['RequestId', requestId],
  ])
  return { answer: withRequestId(answer, requestId), auth: { ...auth, code: verification.code } }
}

function withRequestId(answer: Answer, requestId: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'x-amz-request-id': requestId } }
}

function nothing(resource: string): Answer {
  return xmlErrorAnswer(404, [
    ['Code', 'NoSuchResource'],
    ['Message', 'There is nothing at this path.'],
    ['Resource', resource],
  ])
}
