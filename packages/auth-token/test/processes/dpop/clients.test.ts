import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { adapters, causes } from '../../../../auth-hooks/test/support/adapters.ts'
import { boundService } from '../../dpop/support/sessions.ts'

/** Returns a stream that can be read once, in the form that a client takes. */
function streamOf(name: string, text: string): unknown {
  const usesNode = /http|got|request of undici/.test(name)
  return usesNode ? Readable.from([text]) : new Blob([text]).stream()
}

// What is not in the loop of the kernel sends each request once, and hears nothing of its response.
const clients = adapters.filter(([name]) => name !== 'authorizeRequest')
/** They hand over a `Request`, whose stream is read first, up to 8 MiB. */
const buffering = /a Request|ky|authOpenApi/i
const streaming = clients.filter(([name]) => !buffering.test(name) && name !== 'light authFetch')

describe.each(clients)('%s', (_name, connect) => {
  test('sends each attempt with a proof of its own', async () => {
    const { server, resource, session } = await boundService({ nonces: 'one' })
    const send = connect(session())
    expect(await send(`${resource.origin}/a/b?c=d`)).toBe(200)
    expect(await send(`${resource.origin}/a`, { method: 'PUT', body: 'text' })).toBe(200)
    resource.world.nonce = 'another'
    expect(await send(`${resource.origin}/a`, { method: 'PUT', body: 'more' })).toBe(200)
    expect(resource.problems()).toEqual(['use_dpop_nonce', null, null, 'use_dpop_nonce', null])
    expect(resource.served.map(({ body }) => String(body))).toEqual([
      '',
      '',
      'text',
      'more',
      'more',
    ])
    expect(server.tokenRequests).toHaveLength(1)
  })

  test('costs ten callers one request more for the nonce', async () => {
    const { resource, session } = await boundService({ nonces: 'one' })
    const send = connect(session())
    const calls = Array.from({ length: 10 }, (_, at) => send(`${resource.origin}/${at}`))
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
    expect(resource.served).toHaveLength(11)
  })
})

test.each(streaming)('%s sends a stream once a nonce is known', async (name, connect) => {
  const { resource, session } = await boundService({ nonces: 'one' })
  const send = connect(session())
  const upload = async (): Promise<unknown> => {
    const init = { method: 'PUT', body: streamOf(name, 'text') } as const
    return send(`${resource.origin}/a`, init).catch((error: unknown) => {
      const own = causes(error).find((link) => link.name === 'AuthError')
      return own?.message
    })
  }
  expect([await upload(), await upload()]).toEqual([
    expect.stringMatching(/dpop: .*call again with a new one$/),
    200,
  ])
  expect(resource.problems()).toEqual(['use_dpop_nonce', null])
})

test('authorizeRequest, which sees no response, proves what it is given', async () => {
  const [, connect] = adapters.find(([name]) => name === 'authorizeRequest') ?? []
  const { resource, session } = await boundService()
  expect(await connect?.(session())(`${resource.origin}/a`)).toBe(200)
  expect(resource.problems()).toEqual([null])
})
