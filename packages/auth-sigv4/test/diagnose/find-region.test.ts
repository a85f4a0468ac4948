import { expect, test } from 'vitest'
import { awsXml, type Elements, read } from './diagnosing.ts'

const malformed = (elements: Elements) =>
  read(awsXml({ Code: 'AuthorizationHeaderMalformed', ...elements }), { status: 400 })

test('the region that a server wants is told with the option that fits', async () => {
  expect(await malformed({ Region: '\n eu-west-1 \n' })).toEqual({
    verdict: 'region',
    differences: [
      {
        line: 'region',
        ours: 'us-east-1',
        theirs: 'eu-west-1',
        hint: "Sign for the region 'eu-west-1': give the option region: 'eu-west-1'.",
      },
    ],
    summary: `400 AuthorizationHeaderMalformed: The server expects the region 'eu-west-1', but the request is signed for 'us-east-1'.

region
  ours:   us-east-1
  theirs: eu-west-1
  Sign for the region 'eu-west-1': give the option region: 'eu-west-1'.`,
  })
})

test('the service that a server is is told with the option that fits', async () => {
  const message =
    'The authorization header is malformed; incorrect service "s3". This endpoint belongs to "s3express".'
  expect(await malformed({ Message: message })).toEqual({
    verdict: 'string-to-sign',
    differences: [
      {
        line: 'service',
        ours: 's3',
        theirs: 's3express',
        hint: "Sign for the service 's3express': give the option service: 's3express'.",
      },
    ],
    summary: `400 AuthorizationHeaderMalformed: The server's service is 's3express', but the request is signed for 's3'.

service
  ours:   s3
  theirs: s3express
  Sign for the service 's3express': give the option service: 's3express'.

The server says: ${message}`,
    serverMessage: message,
  })
})

test.each([
  ["expecting 'eu-west-1', in no word of what", { Message: "wrong; expecting 'eu-west-1'" }],
  ['a region that has no end', { Message: "the region is wrong; expecting 'eu-west-1" }],
  ['a region that is quoted otherwise', { Message: "the region 'eu-west-1' is wrong" }],
  ['our region', { Message: "the region is wrong; expecting 'us-east-1'", Region: ' us-east-1 ' }],
  ['our service', { Message: 'This endpoint belongs to "s3".' }],
  ['a service that has no end', { Message: 'This endpoint belongs to "es' }],
  ['a service that is quoted otherwise', { Message: 'incorrect service "es"' }],
])('a server that names %s wants nothing else', async (_what, elements) => {
  expect(await malformed(elements)).toMatchObject({ verdict: 'unknown', differences: [] })
})

test('a region that the server expects and the refused request did not have is no advice to take it', async () => {
  const message =
    "The authorization header is malformed; the region 'eu' is wrong; expecting 'us-east-1'"
  const stringToSign = `AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/eu/s3/aws4_request\n${'0'.repeat(64)}`
  const { verdict, differences, summary } = await malformed({
    Message: message,
    Region: 'us-east-1',
    StringToSign: stringToSign,
  })
  expect(verdict).toBe('region')
  expect(differences).toEqual([
    {
      line: 'region',
      ours: 'us-east-1',
      theirs: 'eu',
      hint: 'The request was sent with another region than the one given here.',
    },
  ])
  expect(summary).toContain(
    "signed for the region 'eu', and the server expects 'us-east-1', which is the one given here",
  )
})
