import { createTokenAuth } from '@svc/auth-token'
import { describe, expect, test } from 'vitest'

const credentials = { username: 'reader@example.com', password: 'a password' }
const good = { baseUrl: 'https://search.example.com', credentials }

describe('where fetch follows redirects whatever it is told, as on React Native', () => {
  // It sends by XMLHttpRequest, and marks itself.
  const following = Object.assign(async () => Response.json({ Token: 'a-token' }), {
    polyfill: true,
  })

  test('no password is entrusted to it', () => {
    withXmlHttpRequest(() => {
      expect(() => createTokenAuth({ ...good, fetch: following })).toThrow(
        /^\[@svc\/auth-token\] createTokenAuth: the fetch of this runtime follows redirects .*trustRedirects: true$/,
      )
    })
  })

  test('unless the caller says so', async () => {
    const auth = withXmlHttpRequest(() =>
      createTokenAuth({ ...good, fetch: following, trustRedirects: true }),
    )
    expect(await auth.getToken()).toBe('a-token')
  })
})

function withXmlHttpRequest<T>(make: () => T): T {
  Object.assign(globalThis, { XMLHttpRequest: Object })
  try {
    return make()
  } finally {
    Reflect.deleteProperty(globalThis, 'XMLHttpRequest')
  }
}
