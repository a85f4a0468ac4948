import assert from 'node:assert/strict'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { parseInstant, readErrorXml } from '../../../packages/auth-sigv4/test/testing.ts'
import { date, dateTokens } from './date-tokens.ts'
import type { Parser } from './parser.ts'

const base = 'https://search.example.com'
const auth = createSigV4Auth({
  baseUrl: base,
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'key' },
  clock: () => Date.UTC(2026, 10, 21),
})

/** Parsers of what a diagnosis reads of a refusal. */
export const refusalParsers: readonly Parser[] = [
  {
    name: 'a date',
    samples: ['20261121T131749Z', '2026-11-21T13:17:49Z', '1795268889000', date],
    tokens: dateTokens,
    check(text) {
      const at = parseInstant(text)
      assert.ok(at === undefined || (at >= 0 && at < 253_402_300_800_000), String(at))
    },
  },
  {
    name: 'the XML of an error',
    samples: [
      '<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>a &amp; b</Message></Error>',
      '<e:Error xmlns:e="x"><!-- c --><e:Code>A</e:Code><d><![CDATA[x]]></d></e:Error>',
    ],
    tokens: [
      '<',
      '>',
      '</',
      '/>',
      '<a>',
      '</a>',
      '<a ',
      '="',
      '"',
      "'",
      '&',
      '&amp;',
      '&#0;',
      '&#x10ffff;',
      '&#x110000;',
      '&#xd800;',
      '&#9999999;',
      '&#x',
      '&#',
      ';',
      '&x;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<!DOCTYPE',
      '<?',
      '?>',
      'Error',
      '<Error>',
      '<Code>',
      '\r',
      '\n',
      ' ',
      '\0',
      '\ud800',
    ],
    check(text) {
      const elements = readErrorXml(text)
      assert.ok(text.includes('Error') || elements.size === 0)
    },
  },
  {
    name: 'a response to diagnose',
    samples: [
      '<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>GET\n/V1/a\nb=c\nhost:search.example.com\nx-amz-date:20261121T000000Z\n\nhost;x-amz-date\nUNSIGNED-PAYLOAD</CanonicalRequest><StringToSign>AWS4-HMAC-SHA256\n20261121T000000Z\n20261121/us-east-1/s3/aws4_request\nabc</StringToSign></Error>',
      '<Error><Code>RequestTimeTooSkewed</Code><ServerTime>2026-11-21T00:00:00Z</ServerTime><RequestTime>20261121T010000Z</RequestTime><MaxAllowedSkewMilliseconds>900000</MaxAllowedSkewMilliseconds></Error>',
      "<Error><Code>AuthorizationHeaderMalformed</Code><Message>the region 'a' is wrong; expecting 'b'</Message></Error>",
    ],
    tokens: [
      '<Code>',
      '</Code>',
      '<CanonicalRequest>',
      '</CanonicalRequest>',
      '<Region>',
      '</Region>',
      '<CanonicalRequestBytes>47 45',
      '\n',
      ':',
      ';',
      'host:',
      'a:b\n',
      '%',
      '%2F',
      '&amp;',
      '=',
      '/',
      '+',
      ' ',
      '\t',
      '\ufffd',
      'x-amz-date:',
      ',',
      "'",
    ],
    async check(text) {
      const response = new Response(text, { status: 403 })
      const { summary } = await diagnose(auth, response, `${base}/V1/a?b=c`)
      assert.ok(summary.length > 0 && summary.length < 20_000, String(summary.length))
    },
  },
]
