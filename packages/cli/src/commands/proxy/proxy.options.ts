import { type CommandOption, http2Option } from '../../command.ts'

/** Values of {@link proxyOptions}. */
export interface ProxyOptions {
  readonly port?: string
  readonly socket?: string
  readonly allow?: readonly string[]
  readonly readOnly?: true
  readonly secretFile?: string
  readonly printKeys?: true
  readonly json?: true
  readonly quiet?: true
}

/** The flags of `proxy`. */
export const proxyOptions: readonly CommandOption[] = [
  {
    flags: '--port <number>',
    description: 'the port of 127.0.0.1; 0 takes a free one',
    default: '8377',
  },
  {
    flags: '--socket <path>',
    description:
      'a Unix socket in place of a port, in a folder of your own (mode 700); who may use it is let in',
  },
  {
    flags: '--allow <rule>',
    description:
      "forward only what a rule allows: methods, a path (* within a segment, ** for any number of segments) and further query parameters, such as 'GET,HEAD /V1/**' or 'PUT /V1/*?acl&tagging'",
    default: 'everything',
    isRepeatable: true,
  },
  { flags: '--read-only', description: 'forward GET and HEAD alone' },
  {
    flags: '--secret-file <file>',
    description:
      'write the secret there (mode 600) in place of showing it, in the form that curl -H @file takes',
  },
  {
    flags: '--print-keys',
    description:
      'make up a key pair for S3 tools and show it once on standard error, unless the environment has one',
  },
  http2Option,
  { flags: '--json', description: 'write a line of JSON for each request' },
  { flags: '--quiet', description: 'write no line for requests' },
]
