import { createServer } from 'node:http'
import { listenOnLoopback, type LoopbackServer } from '../../support/loopback.ts'

/**
 * Serves scripts by name, at an origin of their own, and for each a page that runs it: `page.js` and
 * `page.html`. Their policy allows scripts of this server alone, nothing inline and no `eval`, and
 * requests to this server and the origins given.
 */
export async function servePages(
  scripts: Readonly<Record<string, string>>,
  origins: readonly string[],
): Promise<LoopbackServer> {
  const connections = ["'self'", ...origins.map((origin) => new URL(origin).origin)].join(' ')
  const policy = `default-src 'none'; script-src 'self'; connect-src ${connections}`
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    incoming.resume()
    outgoing.setHeader('content-security-policy', policy)
    const [, name = '', kind] = /^\/([\w-]+)\.(js|html)$/.exec(url) ?? []
    const script = scripts[name]
    if (url.startsWith('/echo/')) {
      outgoing.setHeader('content-type', 'application/json')
      outgoing.end(JSON.stringify({ method, url, headers }))
    } else if (url === '/moved') {
      outgoing.writeHead(302, { location: '/echo/' }).end()
    } else if (script === undefined) {
      outgoing.writeHead(404).end()
    } else if (kind === 'js') {
      outgoing.setHeader('content-type', 'text/javascript; charset=utf-8').end(script)
    } else {
      outgoing.setHeader('content-type', 'text/html; charset=utf-8').end(html(name))
    }
  })
  return listenOnLoopback(server)
}

function html(name: string): string {
  return `<!doctype html>
<title>${name}</title>
<output></output>
<script type="module" src="/${name}.js"></script>
`
}
