import type { ProxyOptions } from './proxy.options.ts'
import { type CommandDefinition, http2Option } from '../../command.ts'

export const proxyCommand: CommandDefinition<ProxyOptions> = {
  name: 'proxy',
  summary: 'listen on loopback and add the credential to each request',
  description:
    'Listens on this machine alone, adds a token or a signature to each request, as its path needs, and forwards it to the service: ' +
    'every tool can use the service, and none has to hold its keys. Nobody is let in without the header x-svc-proxy-secret, ' +
    "a signature made with the proxy's own key pair, or the Unix socket. The first line on standard output is the URL; " +
    'a line for each request follows. The secret is read from SVC_AUTH_PROXY_SECRET, or made up and shown once on standard error; ' +
    'the key pair is read from SVC_AUTH_PROXY_ACCESS_KEY_ID and SVC_AUTH_PROXY_SECRET_ACCESS_KEY.',
  args: [],
  options: [
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
  ],
  examples: [
    {
      line: 'svc-auth proxy --secret-file proxy-header\n  curl -H @proxy-header http://127.0.0.1:8377/user/groups',
      does: 'let curl use the service; the second line runs in another shell',
    },
    {
      line: "svc-auth proxy --print-keys --allow 'GET,HEAD /V1/**' --allow 'PUT /V1/reports/*'",
      does: 'let an S3 tool read everything below /V1, and write reports',
    },
    {
      line: 'mkdir -p -m 700 ~/.svc && svc-auth proxy --socket ~/.svc/proxy.sock --read-only --json',
      does: 'let programs of this user read, over a Unix socket',
    },
  ],
  load: async () => (await import('./proxy.ts')).runProxy,
}
