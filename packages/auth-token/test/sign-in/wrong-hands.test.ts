import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { authMcp } from '@svc/auth-token/mcp'
import { refreshToken } from '@svc/auth-token/oauth2'
import { deviceCode, loopback } from '@svc/auth-token/sign-in'
import { describe, expect, test } from 'vitest'

const issuer = 'https://login.example.com'
const resource = 'https://api.example.com/mcp'

describe('what is a secret of one server goes to none that metadata name', () => {
  const open = (): void => {}
  test.for([
    ['clientSecret', { clientSecret: 'a secret of the client' }],
    ['tokenEndpoint', { tokenEndpoint: `${issuer}/token` }],
  ] as const)('%s without issuer', async ([option, secret]) => {
    const message = `issuer must be given with ${option}: `
    const own = { clientId: 'app', resource }
    expect(() => loopback({ ...own, ...secret, open })).toThrow(message)
    expect(() => deviceCode({ ...own, ...secret, show: open })).toThrow(message)
    // Given beside the sign-in.
    const signIn = { ...loopback({ ...own, open }), ...secret }
    const rest = { url: resource, store: memoryTokenStore() }
    expect(() => refreshToken(signIn)).toThrow(message)
    expect(() => authMcp({ ...rest, signIn })).toThrow(message)
    const given = { ...signIn, issuer }
    expect(refreshToken(given)).toHaveProperty('login')
    expect(authMcp({ ...rest, signIn: given })).toHaveProperty('fetch')
  })
})
