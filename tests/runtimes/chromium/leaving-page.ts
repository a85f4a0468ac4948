import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { Addresses } from '../addresses.ts'
import { credentials } from '../credentials.ts'
import { show } from '../../support/chromium/show.ts'

// Put there by the bundler.
declare const hostAddresses: Addresses

const { service } = hostAddresses
const fetchWithToken = authFetch(createTokenAuth({ baseUrl: service, credentials }))
const groupsUrl = new URL('/user/groups', service)
// The login and the preflight are over before the page is left.
const { status } = await fetchWithToken(groupsUrl)
addEventListener('pagehide', () => void fetchWithToken(groupsUrl, { keepalive: true }))
show(status)
