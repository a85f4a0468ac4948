import { create, createFileRegistry } from '@bufbuild/protobuf'
import type { GenService } from '@bufbuild/protobuf/codegenv2'
import {
  type EmptySchema,
  file_google_protobuf_empty,
  file_google_protobuf_wrappers,
  FileDescriptorProtoSchema,
  type StringValueSchema,
} from '@bufbuild/protobuf/wkt'
import { createClient, createConnectRouter } from '@connectrpc/connect'
import { createFetchHandler } from '@connectrpc/connect/protocol'
import { createConnectTransport } from '@connectrpc/connect-web'
import { authFetch } from '@svc/auth-hooks'
import { testProtocol } from '../works-with/contract.ts'

// What `buf generate` would write for a service with one method.
const file = create(FileDescriptorProtoSchema, {
  name: 'groups.proto',
  syntax: 'proto3',
  dependency: ['google/protobuf/empty.proto', 'google/protobuf/wrappers.proto'],
  service: [
    {
      name: 'Groups',
      method: [
        {
          name: 'Read',
          inputType: '.google.protobuf.Empty',
          outputType: '.google.protobuf.StringValue',
        },
      ],
    },
  ],
})
const dependencies = [file_google_protobuf_empty, file_google_protobuf_wrappers]
const registry = createFileRegistry(file, (name) =>
  dependencies.find(({ proto }) => proto.name === name),
)
// The type that it would write.
const Groups = registry.getService('Groups') as GenService<{
  read: {
    methodKind: 'unary'
    input: typeof EmptySchema
    output: typeof StringValueSchema
  }
}>

const router = createConnectRouter().service(Groups, { read: () => ({ value: 'Everything' }) })

testProtocol({
  respond(request) {
    const { pathname } = new URL(request.url)
    const handler = router.handlers.find(({ requestPath }) => requestPath === pathname)
    return handler ? createFetchHandler(handler)(request) : new Response('', { status: 404 })
  },
  connect(baseUrl, auth) {
    // #region connect
    const transport = createConnectTransport({ baseUrl, fetch: authFetch(auth) })
    const client = createClient(Groups, transport)
    // #endregion
    return async (signal) => (await client.read({}, { ...(signal && { signal }) })).value
  },
  expected: 'Everything',
  // Its `ConnectError` has what the fetch threw as its cause.
  causeOf: (error) => error instanceof Error && error.cause,
})
