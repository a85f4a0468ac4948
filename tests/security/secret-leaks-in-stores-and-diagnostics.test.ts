import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authFetch } from '@svc/auth-hooks'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import type { SharedTokenStore, TokenStore } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import type { AuthEvent } from '@svc/types'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { responseText, serveRaw } from './raw-server.ts'
import { sigV4Auth, tokenAuth } from './schemes.ts'
import { expectNoSecret, formsOf, leaksIn, makeJwt, secrets } from './secrets.ts'

const jwt = makeJwt('stores')

/** A service that issues one token and takes it. */
async function service() {
  return serveRaw((socket, { path }) => {
    socket.write(
      responseText(200, {}, path === '/user/login' ? JSON.stringify({ Token: jwt }) : ''),
    )
  })
}

/** A store, and everything that it was given and gave. */
function recorded(store: TokenStore): { store: SharedTokenStore; passed: unknown[] } {
  const passed: unknown[] = []
  const keep = async <Result>(parameters: unknown, pending: Promise<Result>): Promise<Result> => {
    const result = await pending
    passed.push([parameters, result])
    return result
  }
  return {
    passed,
    store: sharedTokenStore({
      get: (key) => keep(key, store.get(key)),
      compareAndSwap: (...all) => keep(all, store.compareAndSwap(...all)),
      lock: (...all) => keep(all, store.lock(...all)),
      unlock: (...all) => keep(all, store.unlock(...all)),
    }),
  }
}

describe('no secret shows in', () => {
  test('what a store is given, nor in the events of the sessions that share it', async () => {
    const { origin } = await service()
    const { store, passed } = recorded(memoryTokenStore())
    const events: AuthEvent[] = []
    const session = () => tokenAuth(origin, { store, onEvent: (event) => events.push(event) })
    expect(await session().getToken()).toBe(jwt)
    expect(await session().getToken()).toBe(jwt)
    expect(events.map(({ type }) => type)).toContain('token.adopted')
    expect(passed.length).toBeGreaterThan(3)
    expectNoSecret([passed, events, store], [jwt, 'reader', 'tenant-0001'])
  })

  test('what a store is given of a refused login', async () => {
    const { origin } = await serveRaw((socket) => void socket.write(responseText(401)))
    const { store, passed } = recorded(memoryTokenStore())
    await expect(tokenAuth(origin, { store }).getToken()).rejects.toThrow('401')
    expect(passed.length).toBeGreaterThan(3)
    expectNoSecret(passed, ['reader', 'tenant-0001'])
  })

  test('the files of a file store, their names and their folder, which are for one user alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-auth-security-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { origin } = await service()
    const path = join(folder, 'store')
    expect(await tokenAuth(origin, { store: fileTokenStore({ path }) }).getToken()).toBe(jwt)
    // The store is done with its files when it gives the lock back, which no session waits for.
    await vi.waitFor(async () => {
      const names = await readdir(path, { recursive: true })
      expect(names.some((name) => /state\.\d+\.[^.]+\.\d+\.none$/.test(name))).toBe(true)
    }, 30_000)
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    expect(files.length).toBeGreaterThan(0)
    for (const entry of entries) {
      const name = join(entry.parentPath, entry.name)
      const mode = (await stat(name)).mode & 0o777
      expect([name, mode & 0o077]).toEqual([name, 0])
      if (entry.isFile()) expectNoSecret([name, await readFile(name)], [jwt, 'reader'])
    }
  })

  test('the events of a request that is signed, redirected and refused', async () => {
    const query = `key=${encodeURIComponent(secrets.apiKeyHeader)}`
    const server = await serveRaw((socket, { path }) => {
      const to = path.startsWith('/a') ? '/b' : 'https://elsewhere.example/'
      socket.write(responseText(302, { location: `${to}?${query}` }))
    })
    const events: AuthEvent[] = []
    const onEvent = (event: AuthEvent): void => void events.push(event)
    const fetch = authFetch(sigV4Auth(server.origin, { onEvent }), { onEvent })
    await expect(fetch(`${server.origin}/a?${query}`)).rejects.toThrow('redirect')
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['signed', 'redirect.followed', 'redirect.refused']),
    )
    expectNoSecret(events)
  })
})

describe('of the secrets of a signature', () => {
  const url = 'https://search.example.com/V1/a?prefix=b'
  const auth = sigV4Auth('https://search.example.com')
  /** The text that a server may see, and so a response may quote. */
  const echo = (): Promise<string> =>
    explain(auth, url)
      .then(({ canonicalRequest, headers }) =>
        [canonicalRequest, ...[...headers].map(([name, value]) => `${name}: ${value}`)].join('\n'),
      )
      .then((text) => `${text}\n${encodeURIComponent(text)}`)

  test('an explanation holds the session token and the signature, by necessity, and never the key', async () => {
    const explanation = await explain(auth, url)
    expect(leaksIn(explanation)).not.toEqual([])
    const { headers: _headers, canonicalRequest, ...rest } = explanation
    expectNoSecret(rest)
    expect(canonicalRequest).toContain(secrets.sessionToken)
    expect(JSON.stringify([explanation, [...explanation.headers]])).not.toContain(
      secrets.secretAccessKey,
    )
  })

  test('a presigned URL holds the session token and a signature, by necessity, and never the key', async () => {
    const link = (await presign(auth, url)).href
    expect(link).toContain(encodeURIComponent(secrets.sessionToken))
    const withoutToken = link.replace(encodeURIComponent(secrets.sessionToken), '')
    expect(formsOf().filter((form) => withoutToken.includes(form))).toEqual([])
  })

  test.each([
    ['SignatureDoesNotMatch', 'CanonicalRequest'],
    ['SignatureDoesNotMatch', 'StringToSign'],
    ['SignatureDoesNotMatch', 'Message'],
    ['InvalidRequest', 'Message'],
    ['InvalidToken', 'Token-0'],
    ['InvalidAccessKeyId', 'AWSAccessKeyId'],
    ['AuthorizationHeaderMalformed', 'Message'],
    ['AuthorizationHeaderMalformed', 'Region'],
    ['AccessDenied', 'HeadersNotSigned'],
    ['RequestTimeTooSkewed', 'ServerTime'],
    ['XAmzContentSHA256Mismatch', 'S3ComputedContentSHA256'],
    ['BadDigest', 'CalculatedDigest'],
  ])(
    'a diagnosis shows none, though the server quotes the request: %s, %s',
    async (code, element) => {
      const quoted = (await echo()).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      const xml = `<Error><Code>${code}</Code><${element}>${quoted}</${element}></Error>`
      const response = new Response(xml, { status: 403 })
      const diagnosis = await diagnose(auth, response, url)
      expect(diagnosis.summary).not.toBe('')
      const { signature } = await explain(auth, url)
      expectNoSecret(diagnosis, [signature])
    },
  )

  test('a diagnosis shows none where the server responds with a code that is a secret', async () => {
    const xml = `<Error><Code>${secrets.sessionToken}</Code></Error>`
    const diagnosis = await diagnose(auth, new Response(xml, { status: 403 }), url)
    expect(diagnosis.verdict).toBe('unknown')
    expectNoSecret(diagnosis)
  })
})
