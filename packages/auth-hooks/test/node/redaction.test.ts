import { once } from 'node:events'
import { ClientRequest, type RequestOptions } from 'node:http'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'
import { serve } from '../support/server.ts'
import { redactClientRequest, tryRedaction } from '../testing.ts'

/** Requests as versions of Node may have them, whose headers nobody can hide. */
const others: Readonly<Record<string, (options: RequestOptions) => ClientRequest>> = {
  'that keep headers in a field of another name': (options) =>
    new (class extends ClientRequest {
      override setHeader(name: string, value: string): this {
        Object.assign(this, { heads: { [name]: value } })
        return super.setHeader(name, value)
      }
    })(options),
  'whose fields cannot be changed': (options) => {
    const request = new ClientRequest(options)
    for (const key of Reflect.ownKeys(request)) {
      Object.defineProperty(request, key, { configurable: false })
    }
    return request
  },
  'that cannot be made': () => {
    throw new Error('there is no such agent')
  },
}

test('the requests of this version of Node hide their headers, and are sent', async () => {
  expect(tryRedaction((options) => new ClientRequest(options))).toBe(true)
  const server = await serve()
  const request = new ClientRequest(server.origin)
  redactClientRequest(request)
  request.setHeader('x-own', 'of the test')
  expect(inspect(request, { showHidden: true })).not.toContain('of the test')
  request.end()
  await once(request, 'response')
  expect(server.arrived[0]?.headers['x-own']).toBe('of the test')
  expect(request.getHeader('x-own')).toBeUndefined()
})

test.each(Object.entries(others))('a trial finds requests %s', (_, create) => {
  expect(tryRedaction(create)).toBe(false)
})

test('where headers cannot be hidden, adapters say so and go on', async () => {
  const program = fileURLToPath(new URL('../fixtures/unhidden-requests.ts', import.meta.url))
  const { stdout, stderr } = await run(process.execPath, [
    '--conditions=@svc/source',
    '--no-warnings',
    program,
  ])
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    observed: ['redaction.unavailable test', 'redaction.unavailable test'],
    published: ['redaction.unavailable test', 'redaction.unavailable test'],
    arrived: ['credential', 'credential'],
    request: { method: 'GET', url: expect.stringMatching(/^http:.*\/axios$/) },
    isShown: false,
  })
})
