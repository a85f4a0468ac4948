import { authFetch } from '@svc/auth-hooks'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { defaultApiKeys } from '@svc/emulator'
import { Hono } from 'hono'
import { hc } from 'hono/client'
import { expect, test } from 'vitest'
import { startAwsServer } from '../works-with/aws-server.ts'
import { testProtocol } from '../works-with/contract.ts'

const app = new Hono()
  .get('/groups', (context) => context.json(['Everything', 'Reports']))
  .post('/groups/:name', async (context) =>
    context.json({ name: context.req.param('name'), text: await context.req.text() }),
  )

testProtocol({
  respond: (request) => app.fetch(request),
  connect(baseUrl, auth) {
    // #region hono
    const client = hc<typeof app>(baseUrl, { fetch: authFetch(auth) })
    // #endregion
    return async (signal) => {
      const response = await client.groups.$get({}, { ...(signal && { init: { signal } }) })
      return response.json()
    }
  },
  expected: ['Everything', 'Reports'],
})

test('a function of Lambda takes its signatures', async () => {
  const host = 'https://abc123.lambda-url.eu-central-1.on.aws'
  const scope = { service: 'lambda', region: 'eu-central-1' }
  const server = await startAwsServer(scope, (request) => app.fetch(request))
  const aws = authFetch(createAwsAuth({ credentials: defaultApiKeys[0] }), { fetch: server.fetch })
  // #region hono-aws
  const client = hc<typeof app>(host, { fetch: aws })
  // #endregion
  expect(await (await client.groups.$get()).json()).toEqual(['Everything', 'Reports'])
  const sent = { init: { body: 'täglich' } }
  const response = await client.groups[':name'].$post({ param: { name: 'a b+ü' } }, sent)
  expect(await response.json()).toEqual({ name: 'a b+ü', text: 'täglich' })
  expect(server.arrived.map(({ verification }) => verification.ok)).toEqual([true, true])
  await server.close()
})
