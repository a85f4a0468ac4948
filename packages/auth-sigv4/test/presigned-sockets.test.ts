import { createSigV4Auth } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { presign } from '@svc/auth-sigv4/presign'
import { expect, test } from 'vitest'
import { apiKey, signedAt } from './fixtures/s3-examples.ts'

const credentials = { ...apiKey, sessionToken: 'a+session/token==' }
const clock = (): number => signedAt

test.each([
  'wss://abc.execute-api.eu-west-1.amazonaws.com/stage?a=b',
  'wss://transcribestreaming.eu-west-1.amazonaws.com/stream-transcription-websocket?a=b',
  'WSS://abc.execute-api.eu-west-1.amazonaws.com/http',
])('%s is signed as https', async (url) => {
  const auth = createAwsAuth({ credentials, clock })
  const { href } = await presign(auth, url)
  const page = await presign(auth, url.replace(/^wss/i, 'https'))
  expect(href).toBe(page.href.replace('https:', 'wss:'))
  expect(await presign(auth, new URL(url))).toEqual(new URL(href))
  expect(href).toContain('X-Amz-Security-Token=a%2Bsession%2Ftoken%3D%3D')
})

test('ws is signed as http, where that is covered', async () => {
  const auth = createSigV4Auth({
    baseUrl: 'http://127.0.0.1:9000',
    region: 'us-east-1',
    service: 'execute-api',
    credentials: apiKey,
    clock,
  })
  const link = await presign(auth, 'ws://127.0.0.1:9000/socket')
  const page = await presign(auth, 'http://127.0.0.1:9000/socket')
  expect(link.href).toBe(page.href.replace('http:', 'ws:'))
  await expect(presign(auth, 'wss://127.0.0.1:9000/socket')).rejects.toMatchObject({
    code: 'ERR_AUTH_ORIGIN',
  })
  await expect(presign(auth, 'wss://elsewhere.example.com/')).rejects.toMatchObject({
    code: 'ERR_AUTH_ORIGIN',
  })
})

// https://docs.aws.amazon.com/iot/latest/developerguide/iam-users-groups-roles.html
test('for AWS IoT the session token stands beside the signature, not within it', async () => {
  const host = 'a1b2c3-ats.iot.eu-central-1.amazonaws.com'
  const services = {
    [`https://${host}`]: { service: 'iotdevicegateway', region: 'eu-central-1' },
  }
  const url = `wss://${host}/mqtt`
  const lasting = await presign(createAwsAuth({ credentials: apiKey, clock, services }), url)
  const temporary = await presign(createAwsAuth({ credentials, clock, services }), url)
  expect(temporary.href).toBe(`${lasting.href}&X-Amz-Security-Token=a%2Bsession%2Ftoken%3D%3D`)
  expect(lasting.searchParams.get('X-Amz-Credential')).toContain('/eu-central-1/iotdevicegateway/')
  // Signed again, it has one token, and one signature.
  const again = await presign(createAwsAuth({ credentials, clock, services }), temporary)
  expect(again.href).toBe(temporary.href)
})
