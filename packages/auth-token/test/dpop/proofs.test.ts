import { authFetch } from '@svc/auth-token'
import { generateProof } from 'dpop'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, test } from 'vitest'
import { readProof, resourceServer } from './support/resource-server.ts'
import { boundService, withNonces } from './support/sessions.ts'

describe('oidc-provider, which requires DPoP, and jose take', () => {
  test('the proofs of a login and of each request', async () => {
    const { server, resource, session } = await boundService()
    const auth = session()
    const send = authFetch(auth, { baseUrl: resource.origin })
    expect((await send('/a/b%20c?d=e#f')).status).toBe(200)
    expect((await send('/a', { method: 'POST', body: 'text' })).status).toBe(200)
    expect(resource.problems()).toEqual([null, null])
    expect(server.tokenRequests).toHaveLength(1)
    const [first, second] = resource.proofs()
    expect(first?.payload).toMatchObject({ htm: 'GET', htu: `${resource.origin}/a/b%20c` })
    expect(second?.payload).toMatchObject({ htm: 'POST', htu: `${resource.origin}/a` })
    expect(first?.payload.jti).not.toBe(second?.payload.jti)
    // One key, of which nothing private is shown.
    const login = readProof(server.tokenRequests[0]?.proof)
    expect(login.payload).toMatchObject({ htm: 'POST', htu: `${server.issuer}/token` })
    expect(login.payload).not.toHaveProperty('ath')
    expect([first?.header, second?.header]).toEqual([login.header, login.header])
    expect(Object.keys(login.header.jwk).sort()).toEqual(['crv', 'kty', 'x', 'y'])
    const jkt = await calculateJwkThumbprint(login.header.jwk)
    expect(await server.find(await auth.getToken())).toMatchObject({ jkt })
  })

  test('what they ask a nonce for, which costs one more request each', async () => {
    const { server, resource, session } = await boundService(
      { nonces: 'one' },
      { features: withNonces },
    )
    const send = authFetch(session(), { baseUrl: resource.origin })
    for (const path of ['/a', '/b', '/c']) expect((await send(path)).status).toBe(200)
    expect(resource.problems()).toEqual(['use_dpop_nonce', null, null, null])
    expect(server.tokenRequests.map(({ proof }) => readProof(proof).payload.nonce)).toEqual([
      undefined,
      expect.any(String),
    ])
    resource.world.nonce = 'another'
    expect((await send('/d', { method: 'PUT', body: 'text' })).status).toBe(200)
    expect(resource.problems().slice(4)).toEqual(['use_dpop_nonce', null])
    expect(server.tokenRequests).toHaveLength(2)
  })

  test('a token that is replaced after it was revoked', async () => {
    const { server, resource, session } = await boundService(
      { nonces: 'each' },
      { features: withNonces },
    )
    const auth = session({ clientId: 'basic' })
    const send = authFetch(auth, { baseUrl: resource.origin })
    expect((await send('/')).status).toBe(200)
    await (await server.find(await auth.getToken()))?.destroy()
    expect((await send('/')).status).toBe(200)
    expect(resource.problems()).toEqual(['use_dpop_nonce', null, 'invalid_token', null])
    // The nonce of the last response serves the second login.
    expect(server.tokenRequests).toHaveLength(3)
    const keys = server.tokenRequests.map(({ proof }) => readProof(proof).header.jwk['x'])
    expect(new Set(keys).size).toBe(1)
  })
})

test('a proof has what the generator of panva puts into one', async () => {
  const { server, resource, session } = await boundService({ nonces: 'one' })
  const auth = session()
  await authFetch(auth)(`${resource.origin}/a?b=c`)
  const token = await auth.getToken()
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'sign',
    'verify',
  ])
  const { nonce } = resource.world
  const other = await generateProof(pair, `${resource.origin}/a`, 'GET', nonce, token)
  const [theirs, ours] = [readProof(other), resource.proofs()[1]]
  const { x, y, ...jwk } = theirs.header.jwk
  expect(ours?.header).toEqual({
    ...theirs.header,
    jwk: { ...jwk, x: expect.anything(), y: expect.anything() },
  })
  const { jti, iat, ...payload } = theirs.payload
  expect(ours?.payload).toMatchObject(payload)
  expect(Object.keys(ours?.payload ?? {}).sort()).toEqual(Object.keys(theirs.payload).sort())
  expect(Math.abs((ours?.payload.iat ?? 0) - iat)).toBeLessThan(30)
  expect([x, y, jti]).toEqual([expect.any(String), expect.any(String), expect.any(String)])

  // The judge takes theirs as well, and refuses what was changed.
  const jkt = await calculateJwkThumbprint(theirs.header.jwk)
  const judge = await resourceServer(async () => ({ jkt }))
  const send = (proof: string, authorization = `DPoP ${token}`): Promise<Response> =>
    fetch(`${judge.origin}/a`, { headers: { authorization, dpop: proof } })
  const good = await generateProof(pair, `${judge.origin}/a`, 'GET', undefined, token)
  expect((await send(good)).status).toBe(200)
  await send(good)
  await send(await generateProof(pair, `${judge.origin}/b`, 'GET', undefined, token))
  await send(await generateProof(pair, `${judge.origin}/a`, 'PUT', undefined, token))
  await send(await generateProof(pair, `${judge.origin}/a`, 'GET', undefined, 'another'))
  await send(await generateProof(pair, `${judge.origin}/a`, 'GET'), `Bearer ${token}`)
  expect(judge.problems()).toEqual([
    null,
    'invalid_dpop_proof jti',
    'invalid_dpop_proof htu',
    'invalid_dpop_proof htm',
    'invalid_dpop_proof ath',
    'invalid_token the scheme is Bearer',
  ])
  expect(server.tokenRequests).toHaveLength(1)
})
