import type { RunCommand } from '../../command.ts'
import { exitCodes } from '../../exit.ts'
import { openService } from '../../service.ts'
import type { FetchOptions } from './fetch.command.ts'

export const runFetch: RunCommand<FetchOptions> = async ([path = ''], options, context) => {
  const service = await openService(options, context)
  const { authFetch } = await import('@svc/auth-hooks')
  const serviceFetch = authFetch(service.auth, { baseUrl: service.baseUrl, fetch: service.fetch })
  const response = await serviceFetch(path, { method: options.method ?? 'GET' })
  context.stdout.write(await response.text())
  await service.close()
  return response.ok ? exitCodes.done : exitCodes.refused
}
