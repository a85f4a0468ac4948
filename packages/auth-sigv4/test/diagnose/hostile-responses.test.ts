import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { awsXml, host, mismatch, read, refusal, url } from './diagnosing.ts'
import { exampleAuth } from '../support/signing.ts'
import { atNight } from '../../../../tests/support/nightly.ts'

describe('a hostile response', () => {
  test('that breaks off gives what came before', async () => {
    const { verdict, summary } = await read(
      '<Error><Code>InvalidAccessKeyId</Code><Message>The AWS Acc',
    )
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain('The response was cut off')
  })

  test('that breaks off with its connection gives what came before', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('<Error><Code>InvalidAccessKeyId</Code>'))
      },
      async pull(controller) {
        await setTimeout(20)
        controller.error(new TypeError('terminated'))
      },
    })
    expect((await read(body)).verdict).toBe('secret-or-key')
    const nothing = new ReadableStream({ pull: (controller) => controller.error(new Error('x')) })
    const { verdict, summary } = await read(nothing)
    expect(verdict).toBe('unknown')
    expect(summary).toContain('The response body could not be read.')
  })

  test('of chunks of nothing ends', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1
        // No timer fires as long as they come.
        if (pulled > 1_000_000) controller.error(new Error('read without end'))
        else controller.enqueue(new Uint8Array())
      },
    })
    expect((await read(body)).verdict).toBe('unknown')
    expect(pulled).toBeLessThan(10_000)
  })

  test('that is locked leaves its status and headers', async () => {
    const response = refusal('<Error/>')
    response.body?.getReader()
    const { verdict, summary } = await diagnose(exampleAuth(), response, url)
    expect(verdict).toBe('unknown')
    expect(summary).toContain('is being read, so only the status and headers can be used')
  })

  test('of 5 MiB is read to the first, and stays whole for the caller', async () => {
    let pulled = 0
    const chunk = new TextEncoder().encode(`<!--${'x'.repeat(65_529)}-->`)
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          if (pulled === 1) {
            controller.enqueue(new TextEncoder().encode('<Error><Code>InvalidAccessKeyId</Code>'))
          } else if (pulled <= 81) controller.enqueue(chunk)
          else controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const response = refusal(body)
    const { verdict, summary } = await diagnose(exampleAuth(), response, url)
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain('The response was cut off')
    expect(pulled).toBeLessThan(25)
    expect((await response.text()).length).toBeGreaterThan(5_000_000)
  })

  test('with a bomb of entities is no XML here', async () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `<!ENTITY a${level + 1} "${`&a${level};`.repeat(10)}">`,
    )
    const { verdict } = await read(
      `<!DOCTYPE b [<!ENTITY a0 "lol">${levels.join('')}]><Error><Code>&a9;</Code></Error>`,
    )
    expect(verdict).toBe('unknown')
  })

  test('with forty thousand lines is compared, and shown in part', async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `x-amz-meta-${index}:1\n`).join('')
    const { differences, summary } = await mismatch(
      (text) => text.replace('x-amz-content', `${lines}x-amz-content`),
      { isText: true },
    )
    expect(differences).toHaveLength(40_000)
    expect(summary.length).toBeLessThan(10_000)
    expect(summary).toContain('And 39988 more.')
  })

  test('with megabytes in one line is compared in linear time', async () => {
    const long = 'a=b+%20&'.repeat(60_000)
    for (const change of [
      (text: string) => text.replace('/test.txt', `//${'/..'.repeat(300_000)}`),
      (text: string) => text.replace('\na=1\n', `\n${long}\n`),
      (text: string) => text.replace(host, `${'a:'.repeat(400_000)}1`),
      (text: string) => text.replace('a value', `a value${' ,'.repeat(400_000)}`),
    ]) {
      const { differences, summary } = await mismatch(change, {
        input: `${url}?a=1`,
        init: { headers: { 'x-amz-meta-a': 'a value' } },
        isText: true,
      })
      expect(differences).toHaveLength(1)
      expect(summary.length).toBeLessThan(3000)
    }
  })

  test('of whatever kind is no error, and leaves no control characters', async () => {
    const element = fc.constantFrom(
      'Code',
      'Message',
      'CanonicalRequest',
      'CanonicalRequestBytes',
      'StringToSign',
      'StringToSignBytes',
      'SignatureProvided',
      'AWSAccessKeyId',
      'Region',
      'RequestTime',
      'ServerTime',
      'MaxAllowedSkewMilliseconds',
      'Expires',
      'X-Amz-Date',
      'HeadersNotSigned',
      'ClientComputedContentSHA256',
      'S3ComputedContentSHA256',
      'ExpectedDigest',
      'CalculatedDigest',
    )
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'SignatureDoesNotMatch',
        'RequestTimeTooSkewed',
        'AccessDenied',
        'AuthorizationHeaderMalformed',
        'InvalidAccessKeyId',
        'BadDigest',
        'XAmzContentSHA256Mismatch',
        'Request has expired',
        'Request is not yet valid',
        '20130524T000000Z',
        '99999999T999999Z',
        '-1',
        '9'.repeat(13),
        '47 45 54',
        '4745',
        'GET\n/\n\n\n\n',
        'GET\n/test.txt\n\nhost:x\n\nhost\nUNSIGNED-PAYLOAD',
        'a\nb\nc\nd',
        '__proto__',
        'constructor',
      ),
    )
    const responses = fc.oneof(
      fc.uint8Array(),
      fc
        .array(fc.tuple(element, value))
        .map((elements) =>
          new TextEncoder().encode(
            `<Error>${elements.map(([name, text]) => `<${name}><![CDATA[${text}]]></${name}>`).join('')}</Error>`,
          ),
        ),
    )
    const auth = exampleAuth()
    await fc.assert(
      fc.asyncProperty(
        responses,
        fc.constantFrom(undefined, 'Fri, 24 May 2013 00:00:00 GMT', 'never', '1', '+275760-09-13'),
        fc.integer({ min: 400, max: 599 }),
        async (bytes, date, status) => {
          const response = new Response(bytes.slice(), {
            status,
            ...(date && { headers: { date } }),
          })
          const { summary } = await diagnose(auth, response, url)
          expect(summary).not.toMatch(/[^\P{Cc}\n]/u)
        },
      ),
      { numRuns: atNight(1500, 300) },
    )
  })
})

test('nothing that a server writes acts on a terminal', async () => {
  const region = 'x\u009b31m\u202e'
  const { summary } = await read(awsXml({ Code: 'AuthorizationHeaderMalformed', Region: region }))
  expect(summary).not.toMatch(/[\u009b\u202e]/)
  expect(summary).toContain(String.raw`region: 'x\u{9b}31m\u{202e}'`)
})

test('a response that never ends is given up, and what is known of it said', async () => {
  const auth = createSigV4Auth({
    baseUrl: 'https://search.example.com',
    region: 'us-east-1',
    credentials: { accessKeyId: 'KEY', secretAccessKey: 'not-a-secret' },
  })
  const endless = new ReadableStream({ pull: () => new Promise(() => {}) })
  const response = new Response(endless, { status: 403 })
  const { verdict, summary } = await diagnose(auth, response, 'https://search.example.com/V1/k')
  expect(verdict).toBe('unknown')
  expect(summary).toContain('403')
})
