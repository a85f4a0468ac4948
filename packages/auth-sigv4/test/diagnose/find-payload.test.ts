import { createHash } from 'node:crypto'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { presign } from '@svc/auth-sigv4/presign'
import { expect, test } from 'vitest'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, type Elements, read, refusal, url } from './diagnosing.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const put = { method: 'PUT', body: 'text' }
const mismatch = (elements: Elements): string =>
  awsXml({ Code: 'XAmzContentSHA256Mismatch', ...elements })

test('a body that changed on the way is told by both hashes', async () => {
  const body = mismatch({
    ClientComputedContentSHA256: `\n${sha256('text')}\n`,
    S3ComputedContentSHA256: `\n${sha256('other')}\n`,
  })
  expect(await read(body, { init: put })).toEqual({
    verdict: 'payload',
    differences: [
      {
        line: 'payload hash',
        ours: sha256('text'),
        theirs: sha256('other'),
        hint: 'The body changed on the way (for example, it was compressed or re-serialized as JSON), or the one given here is not the one that was sent.',
      },
    ],
    summary: `403 XAmzContentSHA256Mismatch: The body that arrived is not the one whose hash was signed.

payload hash
  ours:   ${sha256('text')}
  theirs: ${sha256('other')}
  The body changed on the way (for example, it was compressed or re-serialized as JSON), or the one given here is not the one that was sent.`,
  })
})

test('a hash that was signed is ours, where the server does not name it', async () => {
  for (const named of [{}, { ClientComputedContentSHA256: ' ' }]) {
    const body = mismatch({ ...named, S3ComputedContentSHA256: sha256('other') })
    const { differences, summary } = await read(body, { init: put })
    expect(differences).toMatchObject([{ ours: sha256('text'), theirs: sha256('other') }])
    expect(summary).not.toContain('a different body')
  }
})

test('a hash that the server does not name is not made up for a body that was used', async () => {
  const request = new Request(url, put)
  await request.text()
  const diagnosing = (elements: Elements) =>
    diagnose(exampleAuth(), refusal(mismatch(elements)), request)
  const theirs = { S3ComputedContentSHA256: sha256('other') }
  expect(await diagnosing(theirs)).toMatchObject({ verdict: 'payload', differences: [] })
  const named = await diagnosing({ ...theirs, ClientComputedContentSHA256: sha256('text') })
  expect(named.differences).toMatchObject([{ ours: sha256('text'), theirs: sha256('other') }])
  expect(named.summary).not.toContain('a different body')
})

test.each<[who: string, headers: Elements, hint: string]>([
  ['the scheme', {}, 'The body changed on the way'],
  ['the caller', { 'x-amz-content-sha256': sha256('text') }, 'was set on the request'],
])('the hash of a request is of %s', async (_who, headers, hint) => {
  const body = mismatch({ S3ComputedContentSHA256: sha256('other') })
  const { differences } = await read(body, { init: { ...put, headers } })
  expect(differences[0]?.hint).toContain(hint)
})

test('the hash of a presigned URL may be of the caller too', async () => {
  const input = await presign(exampleAuth(), url, { method: 'PUT' })
  const body = mismatch({
    ClientComputedContentSHA256: sha256('text'),
    S3ComputedContentSHA256: sha256('other'),
  })
  const headers = { 'x-amz-content-sha256': sha256('text') }
  const { differences, summary } = await read(body, { input, init: { ...put, headers } })
  expect(differences[0]?.hint).toContain('was set on the request')
  expect(summary).not.toContain('a different body')
})

const md5 = '5eb63bbbe01eeed093cb22bb8f5acdc3'

test.each([
  ['MD5 in hex', md5, 'XrY7u+Ae7tCTyyK7j1rNww=='],
  ['MD5 in upper-case hex', md5.toUpperCase(), 'XrY7u+Ae7tCTyyK7j1rNww=='],
  ['base64', '1B2M2Y8AsgTpgAmY7PhCfg==', '1B2M2Y8AsgTpgAmY7PhCfg=='],
  ['SHA-256 in hex', sha256(''), sha256('')],
  ['hex with blanks around it', ` ${md5} `, 'XrY7u+Ae7tCTyyK7j1rNww=='],
])('a checksum is shown as the header has it: %s', async (_form, digest, shown) => {
  const other = 'rL0Y20zC+Fzt72VPzMSk2A=='
  const ours = await read(
    awsXml({ Code: 'BadDigest', ExpectedDigest: digest, CalculatedDigest: other }),
  )
  expect(ours.differences).toMatchObject([{ line: 'digest', ours: shown, theirs: other }])
  const theirs = await read(
    awsXml({ Code: 'BadDigest', ExpectedDigest: other, CalculatedDigest: digest }),
  )
  expect(theirs.differences).toMatchObject([{ line: 'digest', ours: other, theirs: shown }])
})

test.each<Elements>([
  {},
  { ExpectedDigest: md5 },
  { CalculatedDigest: md5 },
  { ExpectedDigest: md5, CalculatedDigest: ' ' },
])('a checksum that has nothing to be compared with is not shown: %o', async (elements) => {
  expect(await read(awsXml({ Code: 'BadDigest', ...elements }))).toEqual({
    verdict: 'payload',
    differences: [],
    summary: '403 BadDigest: The body that arrived does not match the checksum in the request.',
  })
})
