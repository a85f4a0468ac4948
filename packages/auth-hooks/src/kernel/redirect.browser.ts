import type { AuthScheme } from '@svc/types'
import { emit } from '../kit/events.ts'
import type { ExchangeSettings } from './options.ts'
import { hasTarget, redirectError, type RedirectResponse } from './redirect.ts'
import type { ExchangeRequest } from './request.ts'

/** Throws if a response is a redirect: a browser does not show a page where it leads, so nothing can be authorized. */
export function followRedirect(
  scheme: AuthScheme,
  { onEvent }: ExchangeSettings,
  { redirect, url }: ExchangeRequest,
  response: RedirectResponse,
): undefined {
  if (redirect === 'manual' || !hasTarget(response)) return
  const { status } = response
  emit(onEvent, () => ({
    type: 'redirect.refused',
    scheme: scheme.name,
    status,
    from: url.origin,
  }))
  throw redirectError(url, 'a redirect, which a page cannot follow; request its target', status)
}
