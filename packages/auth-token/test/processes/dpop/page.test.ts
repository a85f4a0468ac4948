import { createServer } from 'node:http'
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { bundle } from '../../../../../tests/support/bundle.ts'
import { launchBrowser } from '../../../../../tests/support/chromium/browse.ts'
import { listenOnLoopback } from '../../../../../tests/support/loopback.ts'
import type { Get } from '../../fixtures/dpop-page.ts'
import { hasChromium } from '../../support/tabs.ts'

/** A server of another origin than the page, which asks for a nonce, and notes the key of each proof. */
async function serveOthers() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'authorization, dpop')
    response.setHeader('access-control-expose-headers', 'dpop-nonce, www-authenticate')
    void (async () => {
      if (request.method === 'OPTIONS') return void response.end()
      const options = { algorithms: ['ES256'], typ: 'dpop+jwt' }
      const proof = String(request.headers['dpop'])
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options)
      const { jwk } = protectedHeader as unknown as { jwk: Record<string, string> }
      seen.push(await calculateJwkThumbprint(jwk))
      if (request.url === '/token') {
        response.setHeader('content-type', 'application/json')
        response.write(JSON.stringify({ access_token: 'a', token_type: 'DPoP', expires_in: 60 }))
      } else if (payload['nonce'] !== 'n') {
        const challenge = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n' }
        response.writeHead(401, challenge)
      }
      return void response.end()
    })().catch(() => response.writeHead(500).end())
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { origin: url.origin, seen }
}

test.skipIf(!hasChromium)('a page goes on with the key of IndexedDB after a reload', async () => {
  const others = await serveOthers()
  const script = await bundle('../packages/auth-token/test/fixtures/dpop-page.ts', 'neutral')
  const pages = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(
      isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>',
    )
  })
  const { url, close } = await listenOnLoopback(pages)
  onTestFinished(close)
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext()).newPage()
  const get = (): ReturnType<Get> =>
    page.evaluate((server) => (Reflect.get(globalThis, 'get') as Get)(server), others.origin)
  await page.goto(url.href)
  expect(await get()).toBe(200)
  await page.reload()
  expect(await get()).toBe(200)
  // A token, a request for the nonce and one with it, twice.
  expect(others.seen).toHaveLength(6)
  expect(new Set(others.seen).size).toBe(1)
})
