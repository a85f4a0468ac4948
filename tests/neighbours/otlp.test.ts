import { ExportResultCode } from '@opentelemetry/core'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { TracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace'
import { authFetch } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { defaultApiKeys } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AwsServer, startAwsServer } from '../works-with/aws-server.ts'

const region = 'eu-central-1'
const [credentials] = defaultApiKeys
const bodies: string[] = []
let server: AwsServer
beforeEach(async () => {
  bodies.length = 0
  server = await startAwsServer({ service: 'xray', region }, async (request) => {
    bodies.push(await request.text())
    return Response.json({})
  })
})
afterEach(() => server.close())

function createExporter(aws: Fetch): SpanExporter {
  // #region otlp
  const url = `https://xray.${region}.amazonaws.com/v1/traces`
  const exporter: SpanExporter = {
    export(spans, report) {
      const body = new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans))
      const headers = { 'content-type': 'application/json' }
      aws(url, { method: 'POST', headers, body }).then(
        ({ ok, status }) =>
          report(
            ok
              ? { code: ExportResultCode.SUCCESS }
              : { code: ExportResultCode.FAILED, error: new Error(`${url}: ${status}`) },
          ),
        (error: Error) => report({ code: ExportResultCode.FAILED, error }),
      )
    },
    async shutdown() {},
  }
  // #endregion
  return exporter
}

async function exportSpan(aws: Fetch): Promise<void> {
  const processor = new BatchSpanProcessor({ exporter: createExporter(aws) })
  const provider = new TracerProvider({ spanProcessors: [processor] })
  provider.getTracer('test').startSpan('größe').end()
  await provider.forceFlush()
  await provider.shutdown()
}

test('the endpoint for traces takes the signature, and reads the span', async () => {
  await exportSpan(authFetch(createAwsAuth({ credentials }), { fetch: server.fetch }))
  expect(server.arrived).toMatchObject([
    { url: `https://xray.${region}.amazonaws.com/v1/traces`, verification: { ok: true } },
  ])
  expect(bodies).toEqual([expect.stringContaining('"name":"größe"')])
})

test('a refused signature is an error of the export', async () => {
  const wrong = { ...credentials, secretAccessKey: 'wrong' }
  const aws = authFetch(createAwsAuth({ credentials: wrong }), { fetch: server.fetch })
  const exporter = createExporter(aws)
  const result = await new Promise((resolve) => {
    exporter.export([], resolve)
  })
  expect(result).toMatchObject({ code: 1, error: { message: expect.stringMatching(/: 403$/) } })
  expect(bodies).toEqual([])
})
