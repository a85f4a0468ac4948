import { randomBytes } from 'node:crypto'
import { type ApiKey, authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { presignPost, type PresignPostOptions } from '@svc/auth-sigv4/presign-post'
import { expect } from 'vitest'

/** An empty bucket, by its path in a store, and a key that may read and write it. */
export interface Bucket {
  readonly baseUrl: string
  readonly path: string
  readonly credentials: ApiKey
}

type Fields = Readonly<Record<string, string>>

interface Form {
  readonly options: PresignPostOptions
  /** Fields that are added or changed once the policy is signed. */
  readonly change?: (signed: Fields) => Fields
  /** How long ago the policy was signed. */
  readonly ageMs?: number
}

interface Outcome {
  readonly status: number
  /** The code of the error. */
  readonly code: string | undefined
  /** Every key of the bucket. */
  readonly keys: readonly string[]
  /** The headers of the object, if its bytes are those of the file. */
  readonly stored: Fields | undefined
}

type Case = readonly [what: string, form: Form, outcome: Partial<Outcome>]

const file = randomBytes(100_000)
const size = file.byteLength
const hour = 3_600_000
const only = { key: 'k', maxBytes: size }
const withFields = (fields: Fields): Form => ({ options: { ...only, fields } })
const image = { ...only, startsWith: { 'content-type': 'image/' } }

const accepted = (status: number, key = 'k', stored: Fields = {}): Partial<Outcome> => ({
  status,
  keys: [key],
  stored: expect.objectContaining(stored),
})

/** What a form may have. */
export const acceptedForms: readonly Case[] = [
  ['a key', { options: { ...only, key: 'a b/ünï+"q".png' } }, accepted(204, 'a b/ünï+"q".png')],
  [
    'the name of the file, of just its size',
    { options: { key: 'in/${filename}', maxBytes: size, minBytes: size } },
    accepted(204, 'in/me ünï.png'),
  ],
  [
    'fields and a beginning',
    {
      options: { ...image, fields: { 'x-amz-meta-user': '7 "a"', acl: 'private' } },
      change: () => ({ 'content-type': 'image/png' }),
    },
    accepted(204, 'k', { 'content-type': 'image/png', 'x-amz-meta-user': '7 "a"' }),
  ],
  ['letters beyond ASCII in a field', withFields({ 'x-amz-meta-user': 'ünï' }), accepted(204)],
  ['status 200', withFields({ success_action_status: '200' }), accepted(200)],
  ['status 201', withFields({ success_action_status: '201' }), accepted(201)],
  ['a status of its own', withFields({ success_action_status: '418' }), accepted(204)],
  [
    'a page to go on to',
    withFields({ success_action_redirect: 'http://localhost/done' }),
    accepted(303),
  ],
  [
    'a policy of an hour ago',
    { options: { ...only, expiresInSeconds: 7200 }, ageMs: hour },
    accepted(204),
  ],
]

const refused = (status: number, code: string = expect.any(String)): Partial<Outcome> => ({
  status,
  code,
  keys: [],
})
const denied = refused(403, 'AccessDenied')

/** What a policy does not allow. */
export const refusedForms: readonly Case[] = [
  [
    'a file that is too large',
    { options: { key: 'k', maxBytes: size - 1 } },
    refused(400, 'EntityTooLarge'),
  ],
  [
    'a file that is too small',
    { options: { key: 'k', maxBytes: size * 2, minBytes: size + 1 } },
    refused(400, 'EntityTooSmall'),
  ],
  ['another key', { options: only, change: () => ({ key: 'other' }) }, denied],
  [
    'another folder',
    { options: { ...only, key: 'in/${filename}' }, change: () => ({ key: 'out/${filename}' }) },
    denied,
  ],
  [
    'another value of a field',
    { ...withFields({ 'x-amz-meta-user': '7' }), change: () => ({ 'x-amz-meta-user': '8' }) },
    denied,
  ],
  [
    'another status',
    {
      ...withFields({ success_action_status: '201' }),
      change: () => ({ success_action_status: '200' }),
    },
    denied,
  ],
  ['one more field', { options: only, change: () => ({ acl: 'public-read' }) }, denied],
  [
    'another beginning',
    { options: image, change: () => ({ 'content-type': 'text/html' }) },
    denied,
  ],
  ['no value for a beginning', { options: image }, denied],
  [
    'a policy that has expired',
    { options: { ...only, expiresInSeconds: 3599 }, ageMs: hour },
    denied,
  ],
  // S3 and the emulator blame the signature.
  [
    'a policy that was changed',
    {
      options: only,
      change: ({ policy = '' }) => ({ policy: btoa(atob(policy).replace(/\d+\]/, '9999999]')) }),
    },
    refused(403),
  ],
  [
    'a signature that was changed',
    { options: only, change: () => ({ 'x-amz-signature': '0'.repeat(64) }) },
    refused(403),
  ],
]

/** Sends a form as a page does, and reads what the bucket has then. */
export async function postForm(
  { baseUrl, path, credentials }: Bucket,
  { options, change, ageMs = 0 }: Form,
): Promise<Outcome> {
  const schemeAt = (clock: () => number) =>
    createSigV4Auth({ baseUrl, region: 'us-east-1', credentials, clock })
  const signer = schemeAt(() => Date.now() - ageMs)
  const { url, fields } = await presignPost(signer, path, options)
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...fields, ...change?.(fields) })) {
    form.append(name, value)
  }
  form.append('file', new File([file], 'me ünï.png', { type: 'image/png' }))
  const response = await fetch(url, { method: 'POST', body: form, redirect: 'manual' })
  const [, code] = /<Code>(.*?)</.exec(await response.text()) ?? []

  const read = authFetch(schemeAt(Date.now), { baseUrl })
  const list = await (await read(`${path}?list-type=2`)).text()
  const keys = [...list.matchAll(/<Key>(.*?)</g)].map(([, key = '']) =>
    key.replaceAll('&quot;', '"'),
  )
  const [key = ''] = keys
  const object = await read(`${path}/${key.split('/').map(encodeURIComponent).join('/')}`)
  const isWhole = Buffer.from(await object.arrayBuffer()).equals(file)
  const stored = isWhole ? Object.fromEntries(object.headers) : undefined
  return { status: response.status, code, keys, stored }
}
