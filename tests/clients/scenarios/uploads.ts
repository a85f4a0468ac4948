import assert from 'node:assert/strict'
import type { RecordedRequest } from '@svc/emulator'
import type { Body } from '../client.ts'
import { assertLetIn } from '../expect.ts'
import type { Scenario } from '../scenario.ts'

const topic = 'uploads'
const text = 'ä;ö;ü\r\n1;2;3'
const bytes = new TextEncoder().encode(text)

interface Kind {
  readonly name: string
  /** The header that the caller gives, where the body does not say it. */
  readonly contentType?: string
  readonly body: () => Body
  readonly arrived: (request: RecordedRequest, contentType: string) => unknown
}

const asText = ({ body }: RecordedRequest, contentType: string): unknown => [
  contentType,
  Buffer.from(body).toString(),
]

const kinds: readonly Kind[] = [
  { name: 'text', contentType: 'text/csv', body: () => text, arrived: asText },
  { name: 'bytes', contentType: 'text/csv', body: () => bytes, arrived: asText },
  {
    name: 'an ArrayBuffer',
    contentType: 'text/csv',
    body: () => bytes.slice().buffer,
    arrived: asText,
  },
  { name: 'a Blob', body: () => new Blob([text], { type: 'text/csv' }), arrived: asText },
]

/** Every kind of body, signed. */
export const uploads: readonly Scenario[] = [
  ...kinds.map(({ name, contentType, body, arrived }): Scenario => ({
    topic,
    name,
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      await send({
        method: 'PUT',
        url: url('/V1/upload'),
        body: body(),
        ...(contentType && { headers: { 'content-type': contentType } }),
      })
      assertLetIn(requests(), 'sigv4')
      const [request] = requests()
      assert(request)
      assert.deepEqual(arrived(request, request.headers['content-type'] ?? ''), ['text/csv', text])
    },
  })),
  {
    topic,
    name: 'URLSearchParams',
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      const body = new URLSearchParams({ name: 'ä & b', empty: '' })
      await send({ method: 'PUT', url: url('/V1/upload'), body })

      assertLetIn(requests(), 'sigv4')
      const [request] = requests()
      assert.match(request?.headers['content-type'] ?? '', /^application\/x-www-form-urlencoded/)
      assert.equal(Buffer.from(request?.body ?? []).toString(), body.toString())
    },
  },
  {
    topic,
    name: 'FormData, with a file',
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      const body = new FormData()
      body.append('name', 'ä')
      body.append('file', new Blob([text], { type: 'text/csv' }), 'report.csv')
      await send({ method: 'PUT', url: url('/V1/upload'), body })

      assertLetIn(requests(), 'sigv4')
      const [request] = requests()
      const contentType = request?.headers['content-type'] ?? ''
      const sent = new Response(new Uint8Array(request?.body ?? []), {
        headers: { 'content-type': contentType },
      })
      const form = await sent.formData()
      assert.equal(form.get('name'), 'ä')
      const file = form.get('file')
      assert(file instanceof File)
      assert.deepEqual([file.name, file.type, await file.text()], ['report.csv', 'text/csv', text])
    },
  },
  {
    topic,
    name: 'JSON, encoded by the client',
    async run({ connect, serviceAuth, url, requests }) {
      const { send } = connect(serviceAuth())
      await send({ method: 'POST', url: url('/V1/echo'), json: { name: 'ä', list: [1, null] } })

      assertLetIn(requests(), 'sigv4')
      const [request] = requests()
      assert.match(request?.headers['content-type'] ?? '', /^application\/json/)
      const sent: unknown = JSON.parse(Buffer.from(request?.body ?? []).toString())
      // A query takes what it is given as its variables.
      const value = typeof sent === 'object' && sent && 'variables' in sent ? sent.variables : sent
      assert.deepEqual(value, { name: 'ä', list: [1, null] })
    },
  },
]
