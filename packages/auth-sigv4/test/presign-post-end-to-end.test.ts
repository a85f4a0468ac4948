import { createSigV4Auth } from '@svc/auth-sigv4'
import { presignPost, type PresignPostOptions } from '@svc/auth-sigv4/presign-post'
import { createEmulator } from '@svc/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { apiKey } from './fixtures/s3-examples.ts'

const file = new File(['five!'], 'me ünï.png', { type: 'image/png' })

/** Presigns a form for a bucket of the emulator, and sends it as a page does. */
async function upload(
  options: PresignPostOptions,
  more: Readonly<Record<string, string>> = {},
  sessionToken?: string,
) {
  const key = { ...apiKey, ...(sessionToken !== undefined && { sessionToken }) }
  const emulator = createEmulator({ apiKeys: [key] })
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const store = createSigV4Auth({ baseUrl: server.url, region: 'us-east-1', credentials: key })
  const presigned = await presignPost(store, '/V1', options)
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...presigned.fields, ...more }))
    form.append(name, value)
  form.append('file', file)
  const response = await fetch(presigned.url, { method: 'POST', body: form })
  return { status: response.status, text: await response.text(), auth: emulator.requests[0]?.auth }
}

test.each<[name: string, options: PresignPostOptions, more?: Record<string, string>]>([
  ['a key', { key: 'a b/ünï+"q".png', maxBytes: 5 }],
  ['the name of the file', { key: 'in/${filename}', maxBytes: 5, minBytes: 5 }],
  [
    'fields and beginnings',
    {
      key: 'k',
      maxBytes: 5,
      fields: { 'x-amz-meta-user': 'ünï "7"', acl: 'private' },
      startsWith: { 'content-type': 'image/' },
    },
    { 'content-type': 'image/png' },
  ],
])('the emulator takes a form with %s', async (_, options, more) => {
  expect(await upload(options, more)).toMatchObject({ status: 204, auth: { ok: true } })
  expect(await upload(options, more, 'a+session/token==')).toMatchObject({ status: 204 })
})

test.each<[refused: string, options: PresignPostOptions, more: Record<string, string>]>([
  ['EntityTooLarge', { key: 'k', maxBytes: 4 }, {}],
  ['EntityTooSmall', { key: 'k', maxBytes: 9, minBytes: 6 }, {}],
  ['Policy Condition failed', { key: 'k', maxBytes: 5 }, { key: 'other' }],
  ['Extra input fields: acl', { key: 'k', maxBytes: 5 }, { acl: 'public-read' }],
  [
    'Policy Condition failed',
    { key: 'k', maxBytes: 5, startsWith: { 'content-type': 'image/' } },
    { 'content-type': 'text/html' },
  ],
])('and refuses with %s what it does not allow', async (refused, options, more) => {
  const { text, auth } = await upload(options, more)
  expect(text).toContain(refused)
  expect(auth?.ok).toBe(false)
})
