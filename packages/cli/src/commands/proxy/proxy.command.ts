import type { CommandDefinition } from '../../command.ts'
import { type ProxyOptions, proxyOptions } from './proxy.options.ts'

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
  options: proxyOptions,
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
