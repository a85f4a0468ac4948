import { createHash } from 'node:crypto'
import { authFetch, createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { createEmulator, defaultApiKeys, type EmulatorOptions } from '@svc/emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type PassedOn, rewritingProxy } from './rewriting-proxy.ts'

interface Setting {
  readonly auth?: Partial<SigV4AuthOptions>
  readonly emulator?: EmulatorOptions
  readonly rewrite?: (passed: PassedOn) => void
}

const apiKey = defaultApiKeys[0]

async function service({ auth: options = {}, emulator: settings = {}, rewrite }: Setting = {}) {
  const emulator = createEmulator(settings)
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const proxy = rewrite && (await rewritingProxy(server.url, rewrite))
  if (proxy) onTestFinished(() => proxy.close())
  const baseUrl = proxy?.url ?? server.url
  const auth = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: apiKey, ...options })
  const send = authFetch(auth)
  const base = baseUrl.origin
  const attempt = async (path: string, init?: RequestInit) => {
    const response = await send(`${base}${path}`, init)
    expect(response.status).toBeGreaterThanOrEqual(400)
    return diagnose(auth, response, `${base}${path}`, init)
  }
  // What authFetch would send, without the second attempt that corrects the clock.
  const attemptOnce = async (target: string, method = 'GET') => {
    const { url, headers } = await explain(auth, `${base}${target}`, { method })
    return fetch(url, { method, headers })
  }
  return { emulator, auth, base, send, attempt, attemptOnce }
}

function setHeader(passed: PassedOn, name: string, change: (value: string) => string): void {
  passed.headers = passed.headers.map(([key, value]) => [key, key === name ? change(value) : value])
}

const path = (change: (path: string) => string) => (passed: PassedOn) => {
  const [own = '', ...query] = passed.target.split('?')
  passed.target = [change(own), ...query].join('?')
}

const query = (change: (query: string) => string) => (passed: PassedOn) => {
  const mark = passed.target.indexOf('?')
  passed.target = passed.target.slice(0, mark + 1) + change(passed.target.slice(mark + 1))
}

describe('a proxy in between', () => {
  test.each<[what: string, rewrite: Setting['rewrite'], path: string, line: string, hint: string]>([
    [
      'puts an internal host there',
      (passed) => setHeader(passed, 'host', () => 'storage.internal:9000'),
      '/V1/k',
      'header host',
      'a proxy in front of the server replaces it',
    ],
    [
      'drops the port',
      (passed) => setHeader(passed, 'host', (host) => host.replace(/:\d+$/, '')),
      '/V1/k',
      'header host',
      'The port was changed on the way',
    ],
    [
      'changes the port',
      (passed) => setHeader(passed, 'host', (host) => host.replace(/:\d+$/, ':80')),
      '/V1/k',
      'header host',
      'The port was changed on the way',
    ],
    [
      'encodes the path twice',
      path((own) => own.replaceAll('%', '%25')),
      '/V1/a b',
      'path',
      'encoded twice',
    ],
    ['decodes the path', path(decodeURI), '/V1/a%2520b', 'path', 'forwards it decoded'],
    [
      'takes a plus in the path for a space',
      path((own) => own.replaceAll('%2B', '%20')),
      '/V1/a+b',
      'path',
      'reads + as a space',
    ],
    [
      'writes a space in the path as a plus',
      path((own) => own.replaceAll('%20', '+')),
      '/V1/a b',
      'path',
      'writes a space as +',
    ],
    [
      'folds slashes',
      path((own) => own.replace(/\/+/g, '/')),
      '/V1//a///b',
      'path',
      'collapses repeated slashes',
    ],
    [
      'takes off a slash at the end',
      path((own) => own.slice(0, -1)),
      '/V1/a/',
      'path',
      'removes the trailing slash',
    ],
    ['adds a slash at the end', path((own) => `${own}/`), '/V1/a', 'path', 'adds a trailing slash'],
    [
      'adds a prefix',
      path((own) => `/store${own}`),
      '/V1/a',
      'path',
      'The prefix /store was added',
    ],
    [
      'takes off a prefix',
      path((own) => own.slice('/store'.length)),
      '/store/V1/a',
      'path',
      'The prefix /store was removed',
    ],
    ['passes on another path', path(() => '/else'), '/V1/a', 'path', 'was rewritten on the way'],
    ['drops the query', query(() => ''), '/V1/a?b=1', 'query', 'was dropped'],
    ['loses a parameter', query(() => 'a=1'), '/V1/a?a=1&b=2', 'query', 'The parameter b was lost'],
    [
      'adds parameters',
      query((own) => `${own}&x=1&y=2`),
      '/V1/a?a=1',
      'query',
      'The parameters x, y were added',
    ],
    [
      'adds a query',
      (passed) => (passed.target += '?x=1'),
      '/V1/a',
      'query',
      'was added on the way: x',
    ],
    [
      'changes a parameter',
      query((own) => own.replace('1', '2')),
      '/V1/a?a=1',
      'query',
      'The parameter a was changed',
    ],
    [
      'encodes the query twice',
      query((own) => own.replaceAll('%', '%25')),
      '/V1/a?a=b%20c',
      'query',
      'encoded twice',
    ],
    [
      'decodes the query',
      query(decodeURIComponent),
      '/V1/a?a=b%2526c',
      'query',
      'decodes the query',
    ],
    [
      'takes a plus in the query for a space',
      query((own) => own.replaceAll('%2B', '+')),
      '/V1/a?a=b%2Bc',
      'query',
      'reads + as a space',
    ],
    [
      'takes a space in the query for a plus',
      query((own) => own.replaceAll('%20', '%2B')),
      '/V1/a?a=b%20c',
      'query',
      'writes a space as +',
    ],
    [
      'passes on one of several values',
      query(() => 'a=2&b=1'),
      '/V1/a?a=2&a=1&b=1',
      'query',
      'The parameter a was lost on the way',
    ],
    [
      'turns the request into a GET',
      (passed) => (passed.method = 'GET'),
      '/V1/a',
      'method',
      'turned the request into a GET',
    ],
    [
      'changes the method',
      (passed) => (passed.method = 'PATCH'),
      '/V1/a',
      'method',
      'method override',
    ],
    [
      'drops a header',
      (passed) => (passed.headers = passed.headers.filter(([name]) => name !== 'x-amz-meta-a')),
      '/V1/a',
      'header x-amz-meta-a',
      'forwards only the headers it knows',
    ],
    [
      'drops the content type',
      (passed) => (passed.headers = passed.headers.filter(([name]) => name !== 'content-type')),
      '/V1/a',
      'header content-type',
      'content-type did not arrive',
    ],
    [
      'adds a charset',
      (passed) => setHeader(passed, 'content-type', (type) => `${type}; charset=utf-8`),
      '/V1/a',
      'header content-type',
      'The parameters of content-type',
    ],
    [
      'changes the content type',
      (passed) => setHeader(passed, 'content-type', () => 'application/json'),
      '/V1/a',
      'header content-type',
      'content-type was changed on the way',
    ],
    [
      'rewrites a header',
      (passed) => setHeader(passed, 'x-amz-meta-a', () => 'other'),
      '/V1/a',
      'header x-amz-meta-a',
      'was rewritten on the way',
    ],
    [
      'changes the case of a header',
      (passed) => setHeader(passed, 'x-amz-meta-a', (value) => value.toUpperCase()),
      '/V1/a',
      'header x-amz-meta-a',
      'only in case',
    ],
    [
      'sends a header twice',
      (passed) => passed.headers.push(['x-amz-meta-a', 'again']),
      '/V1/a',
      'header x-amz-meta-a',
      'an extra value',
    ],
    [
      'splits a list into header lines',
      (passed) => {
        const others = passed.headers.filter(([name]) => name !== 'x-amz-meta-list')
        passed.headers = [...others, ['x-amz-meta-list', 'one'], ['x-amz-meta-list', 'two']]
      },
      '/V1/a',
      'header x-amz-meta-list',
      'joined differently',
    ],
    [
      'writes a header in UTF-8',
      (passed) =>
        setHeader(passed, 'x-amz-meta-text', (value) => Buffer.from(value).toString('latin1')),
      '/V1/a',
      'header x-amz-meta-text',
      'UTF-8',
    ],
  ])('that %s is told by the line and the cause', async (_what, rewrite, target, line, hint) => {
    const { attempt } = await service({ ...(rewrite && { rewrite }) })
    const { verdict, differences, summary } = await attempt(target, {
      method: 'PUT',
      headers: {
        'content-type': 'text/plain',
        'x-amz-meta-a': 'a value',
        'x-amz-meta-list': 'one, two',
        'x-amz-meta-text': 'für',
      },
      body: 'text',
    })
    expect(verdict).toBe('canonical-request')
    expect(differences.map((difference) => difference.line)).toEqual([line])
    expect(differences[0]?.hint).toContain(hint)
    expect(differences[0]?.ours).not.toBe(differences[0]?.theirs)
    expect(summary).toContain('The signature that arrived is the one computed here')
    expect(summary).toContain(hint)
  })

  test('that adds an x-amz header is named by the header', async () => {
    const rewrite = (passed: PassedOn): void => {
      passed.headers.push(['x-amz-trace', '1'])
    }
    const { attempt } = await service({ rewrite })
    const { verdict, differences } = await attempt('/V1/k')
    expect(verdict).toBe('canonical-request')
    expect(differences).toMatchObject([{ line: 'header x-amz-trace', ours: '' }])
    expect(differences[0]?.hint).toContain('was added on the way')
  })

  test('that changes the body shows in both hashes', async () => {
    const rewrite = (passed: PassedOn): void => {
      passed.body = Buffer.from('other')
    }
    const { attempt } = await service({ rewrite })
    const { verdict, differences } = await attempt('/V1/k', { method: 'PUT', body: 'text' })
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
    expect(verdict).toBe('payload')
    expect(differences).toMatchObject([
      { line: 'payload hash', ours: hash('text'), theirs: hash('other') },
    ])
    expect(differences[0]?.hint).toContain('The body changed on the way')
  })

  test('that drops the body is said to', async () => {
    const rewrite = (passed: PassedOn): void => {
      passed.body = Buffer.alloc(0)
    }
    const { attempt } = await service({ rewrite })
    const { differences } = await attempt('/V1/k', { method: 'PUT', body: 'text' })
    expect(differences[0]?.hint).toContain('The server saw no body')
  })

  test('that changes several things is shown line by line, in order', async () => {
    const rewrite = (passed: PassedOn): void => {
      setHeader(passed, 'host', () => 'backend')
      passed.target = '/V1/other'
      setHeader(passed, 'x-amz-content-sha256', () => 'UNSIGNED-PAYLOAD')
    }
    const { attempt, base } = await service({ rewrite })
    const { differences, summary } = await attempt('/V1/k')
    expect(differences.map(({ line }) => line)).toEqual([
      'path',
      'header host',
      'header x-amz-content-sha256',
      'payload hash',
    ])
    expect(summary).toContain(
      `403 SignatureDoesNotMatch: The server computed a different canonical request.

path
  ours:   /V1/k
  theirs: /V1/other
  The path was rewritten on the way, for example by a proxy.

header host
  ours:   ${new URL(base).host}
  theirs: backend
  Host was changed on the way`,
    )
  })
})

describe('options that do not fit the server', () => {
  test('the order of repeated values names the option that fits', async () => {
    const inOrder = await service({ emulator: { repeatedParameters: 'wire-order' } })
    const first = await inOrder.attempt('/V1/k?a=2&a=1')
    expect(first.differences).toMatchObject([{ line: 'query', ours: 'a=1&a=2', theirs: 'a=2&a=1' }])
    expect(first.differences[0]?.hint).toContain("Use repeatedParameters: 'wire-order'")
    const byValue = await service({ auth: { repeatedParameters: 'wire-order' } })
    const second = await byValue.attempt('/V1/k?a=2&a=1')
    expect(second.differences[0]?.hint).toContain("Use repeatedParameters: 'by-value'")
  })

  test('a path that is signed encoded twice names the option that fits', async () => {
    const { attempt } = await service({ auth: { pathEncoding: 'double' } })
    const { differences } = await attempt('/V1/a b')
    expect(differences).toMatchObject([{ line: 'path', ours: '/V1/a%2520b', theirs: '/V1/a%20b' }])
    expect(differences[0]?.hint).toContain("use pathEncoding: 's3'")
  })

  test('a path that is verbatim is the same in another spelling', async () => {
    const { attempt } = await service({ auth: { pathEncoding: 'verbatim' } })
    const { differences } = await attempt("/V1/it's")
    expect(differences).toMatchObject([{ line: 'path', ours: "/V1/it's", theirs: '/V1/it%27s' }])
    expect(differences[0]?.hint).toContain('this one is not strictly encoded')
  })

  test('another region is named', async () => {
    const { attempt } = await service({ auth: { region: 'eu-west-1' } })
    const { verdict, differences, summary } = await attempt('/V1/k')
    expect(verdict).toBe('region')
    expect(differences).toMatchObject([{ line: 'region', ours: 'eu-west-1', theirs: 'us-east-1' }])
    expect(differences[0]?.hint).toContain("region: 'us-east-1'")
    expect(summary).toContain("The server expects the region 'us-east-1'")
  })

  test('another service is named', async () => {
    const { attempt } = await service({ auth: { service: 'es', pathEncoding: 's3' } })
    const { verdict, differences } = await attempt('/V1/k', {
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    })
    expect(verdict).toBe('string-to-sign')
    expect(differences).toMatchObject([{ line: 'service', ours: 'es', theirs: 's3' }])
  })
})

test('a payload hash of the caller that is not that of the body is told as his', async () => {
  const { attempt } = await service({})
  const { verdict, differences } = await attempt('/V1/k', {
    method: 'PUT',
    headers: { 'x-amz-content-sha256': 'a'.repeat(64) },
    body: 'text',
  })
  expect(verdict).toBe('payload')
  expect(differences).toMatchObject([{ line: 'payload hash', ours: 'a'.repeat(64) }])
  expect(differences[0]?.hint).toContain('x-amz-content-sha256 was set on the request')
})

describe('credentials that do not fit the server', () => {
  test('a wrong secret is what is left where all lines agree', async () => {
    const credentials = { ...apiKey, secretAccessKey: `${apiKey.secretAccessKey}x` }
    const { attempt } = await service({ auth: { credentials } })
    const { verdict, differences, summary } = await attempt('/V1/a b?b=2&a=1', {
      method: 'PUT',
      body: 'text',
    })
    expect(verdict).toBe('secret-or-key')
    expect(differences).toEqual([])
    expect(summary).toContain(
      `the secret is not the one that the server has for ${apiKey.accessKeyId}`,
    )
    expect(summary).toContain('a line break')
    expect(summary).not.toContain(apiKey.secretAccessKey)
  })

  test('an unknown key is named', async () => {
    const credentials = { ...apiKey, accessKeyId: 'AKIDUNKNOWN' }
    const { attempt } = await service({ auth: { credentials } })
    const { verdict, differences, summary } = await attempt('/V1/k')
    expect(verdict).toBe('secret-or-key')
    expect(differences).toEqual([])
    expect(summary).toContain('The server does not know the access key AKIDUNKNOWN.')
  })

  test('credentials that changed since are told from a wrong secret', async () => {
    let credentials = { ...apiKey, secretAccessKey: 'old' }
    const { auth, base, send } = await service({ auth: { credentials: () => credentials } })
    const response = await send(`${base}/V1/k`)
    credentials = { ...apiKey }
    const { verdict, differences } = await diagnose(auth, response, `${base}/V1/k`)
    expect(verdict).toBe('secret-or-key')
    expect(differences.map(({ line }) => line)).toEqual(['signature'])
    expect(differences[0]?.ours).toMatch(/^[\da-f]{4}… \(64 characters\)$/)
    credentials = { accessKeyId: 'AKIDNEXT', secretAccessKey: 'next' }
    const next = await diagnose(auth, response, `${base}/V1/k`)
    expect(next.differences).toMatchObject([
      { line: 'access key', ours: 'AKIDNEXT', theirs: apiKey.accessKeyId },
      { line: 'signature' },
    ])
  })

  test('a session token is never shown', async () => {
    const sessionToken = 'FQoGZXIvYXdzEXAMPLETOKENTHATNOBODYMAYSEE'
    const key = { ...apiKey, sessionToken }
    const other = `${sessionToken}CHANGED`
    const { attempt } = await service({
      auth: { credentials: key },
      emulator: { apiKeys: [{ ...apiKey, sessionToken: other }] },
      rewrite: (passed) => setHeader(passed, 'x-amz-security-token', () => other),
    })
    const diagnosis = await attempt('/V1/k')
    expect(diagnosis.differences).toMatchObject([
      {
        line: 'header x-amz-security-token',
        ours: 'FQoG… (40 characters)',
        theirs: 'FQoG… (47 characters)',
      },
    ])
    expect(diagnosis.differences[0]?.hint).toContain('session token of different credentials')
    expect(JSON.stringify(diagnosis)).not.toContain(sessionToken.slice(0, 6))
  })

  test('a token that the server does not take is said to be', async () => {
    const credentials = { ...apiKey, sessionToken: 'none' }
    const { attempt } = await service({ auth: { credentials } })
    const { verdict, summary } = await attempt('/V1/k')
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain('does not accept the session token')
  })
})

describe('clocks', () => {
  // Some seconds pass between the response and its diagnosis.
  test.each([
    [20, /This clock is (?:19|20) min(?: \d+ s)? behind/],
    [-90, /This clock is 1 h (?:29|30) min(?: \d+ s)? ahead of/],
  ])('that are %i min apart are said to be', async (minutes, expected) => {
    const { auth, base, attemptOnce, emulator } = await service()
    emulator.fault({ skewMs: minutes * 60_000 })
    const response = await attemptOnce('/V1/k')
    const { verdict, differences, summary } = await diagnose(auth, response, `${base}/V1/k`)
    expect(verdict).toBe('clock')
    expect(summary).toMatch(expected)
    const [{ line, ours, theirs, hint } = { line: '', ours: '', theirs: '', hint: '' }] =
      differences
    expect(line).toBe('date')
    expect(Math.round((Date.parse(theirs) - Date.parse(ours)) / 60_000)).toBe(minutes)
    expect(hint).toContain('Set the clock of the machine that signs')
  })

  test('that agree now tell of a signature that was old', async () => {
    let offsetMs = -3_600_000
    const clock = (): number => Date.now() + offsetMs
    const { auth, base, attemptOnce } = await service({ auth: { clock } })
    const response = await attemptOnce('/V1/k')
    offsetMs = 0
    const { verdict, differences, summary } = await diagnose(auth, response, `${base}/V1/k`)
    expect(verdict).toBe('clock')
    expect(summary).toContain("before the server's time")
    expect(differences[0]?.hint).toContain('agree now')
  })

  test('that were corrected after the refusal leave the refusal of a body that goes once', async () => {
    const { auth, base, emulator, send } = await service({ auth: { payload: 'unsigned' } })
    emulator.fault({ skewMs: 3_600_000 })
    const stream = (): RequestInit & { duplex: 'half' } => {
      const headers = { 'content-length': '4' }
      return { method: 'PUT', headers, body: new Blob(['text']).stream(), duplex: 'half' }
    }
    const response = await send(`${base}/V1/k`, stream())
    expect((await send(`${base}/V1/k`, stream())).status).toBe(200)
    const { verdict, differences } = await diagnose(auth, response, `${base}/V1/k`, stream())
    expect(verdict).toBe('clock')
    expect(differences[0]?.hint).toContain('which the scheme does by itself after a refusal')
  })

  test('that are wrong do not disturb a comparison of lines', async () => {
    const { auth, base, send } = await service({
      auth: { clock: () => Date.now() - 600_000 },
      rewrite: path((own) => own.toLowerCase()),
    })
    const response = await send(`${base}/V1/K`)
    const later = createSigV4Auth({
      baseUrl: base,
      region: 'us-east-1',
      credentials: apiKey,
      clock: () => Date.UTC(2040, 0),
    })
    const { differences } = await diagnose(later, response, `${base}/V1/K`)
    expect(differences.map(({ line }) => line)).toEqual(['path'])
    expect((await diagnose(auth, response, `${base}/V1/K`)).differences).toEqual(differences)
  })
})

describe('a request', () => {
  test('whose body was used is compared without its payload hash, and with URL and init whole', async () => {
    const { auth, base, send } = await service({ rewrite: path((own) => own.toLowerCase()) })
    const init = { method: 'PUT', body: 'text', headers: { 'x-amz-meta-a': '1' } }
    const request = new Request(`${base}/V1/K`, init)
    const response = await send(request.clone())
    await request.text()
    const used = await diagnose(auth, response, request)
    expect(used.verdict).toBe('canonical-request')
    expect(used.differences.map(({ line }) => line)).toEqual(['path'])
    expect(used.summary).toContain('The body of the Request has already been used')
    expect(used.summary).not.toContain('The signature that arrived')
    const whole = await diagnose(auth, response, `${base}/V1/K`, init)
    expect(whole.differences).toEqual(used.differences)
    expect(whole.summary).not.toContain('has already been used')
  })

  test('whose body is locked is none that fails', async () => {
    const { auth, base, send } = await service({
      auth: { credentials: { ...apiKey, secretAccessKey: 'x' } },
    })
    const request = new Request(`${base}/V1/k`, { method: 'PUT', body: 'text' })
    const response = await send(request.clone())
    request.body?.getReader()
    const { verdict, summary } = await diagnose(auth, response, request)
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain('What could not be compared may differ too.')
  })

  test('stays usable', async () => {
    const { auth, base, send } = await service({ rewrite: path((own) => own.toLowerCase()) })
    const request = new Request(`${base}/V1/K`, { method: 'PUT', body: 'text' })
    const response = await send(request.clone())
    const { differences } = await diagnose(auth, response, request)
    expect(differences.map(({ line }) => line)).toEqual(['path'])
    expect(await request.text()).toBe('text')
  })

  test('with a form is compared without its boundary', async () => {
    const { attempt } = await service({ rewrite: path((own) => own.toLowerCase()) })
    const body = new FormData()
    body.append('a', '1')
    const { differences, summary } = await attempt('/V1/K', { method: 'POST', body })
    expect(differences.map(({ line }) => line)).toEqual(['path'])
    expect(summary).toContain('A form has a new boundary each time')
  })

  // Before Node 24, the rest of a response is lost with its signal, even if a copy of it was read.
  const losesResponse = Number.parseInt(process.versions.node) < 24
  test.skipIf(losesResponse)(
    'that ran out of time meanwhile is explained all the same',
    async () => {
      const { auth, base, send } = await service({ rewrite: path((own) => own.toLowerCase()) })
      const controller = new AbortController()
      const request = new Request(`${base}/V1/K`, { signal: controller.signal })
      const response = await send(request)
      await response.clone().text()
      controller.abort()
      expect((await diagnose(auth, response, request)).verdict).toBe('canonical-request')
      const init = { signal: controller.signal }
      expect((await diagnose(auth, response, request.url, init)).verdict).toBe('canonical-request')
    },
  )

  test('that bears its signature already is explained without it', async () => {
    const { auth, base } = await service({ rewrite: path((own) => own.toLowerCase()) })
    const { url, headers } = await explain(auth, `${base}/V1/K`)
    const request = new Request(url, { headers })
    const response = await fetch(request)
    const { differences, summary } = await diagnose(auth, response, request)
    expect(differences.map(({ line }) => line)).toEqual(['path'])
    expect(summary).toContain('The given request is already signed')
  })

  test('that was redirected is compared where it came to', async () => {
    const { emulator, attempt } = await service({
      auth: { credentials: { ...apiKey, secretAccessKey: 'x' } },
    })
    emulator.fault({ path: '/V1/here', redirect: { to: '/V1/there' }, times: 1 })
    const { verdict, summary } = await attempt('/V1/here')
    expect(verdict).toBe('secret-or-key')
    expect(summary).toMatch(/A redirect led to http:\S+\/V1\/there,/)
  })

  test('with a body that was redirected is compared where it came to', async () => {
    const { emulator, auth, base, send } = await service({
      rewrite: path((own) => own.replace('/V1/there', '/V1/else')),
    })
    emulator.fault({ path: '/V1/here', redirect: { to: '/V1/there' }, times: 1 })
    const init = { method: 'PUT', body: 'text' }
    const request = new Request(`${base}/V1/here`, init)
    const response = await send(request.url, init)
    const { differences, summary } = await diagnose(auth, response, request)
    expect(differences).toMatchObject([{ line: 'path', ours: '/V1/there', theirs: '/V1/else' }])
    expect(summary).toContain('The signature that arrived is the one computed here')
    expect(await request.text()).toBe('text')
  })

  test('that is not the one that was sent is said to be', async () => {
    const { auth, base, send } = await service({
      auth: { credentials: { ...apiKey, secretAccessKey: 'x' } },
    })
    const response = await send(`${base}/V1/k`, { headers: { 'x-amz-meta-a': '1' } })
    const { verdict, differences, summary } = await diagnose(auth, response, `${base}/V1/k`)
    expect(verdict).toBe('canonical-request')
    expect(differences.map(({ line }) => line)).toEqual(['header x-amz-meta-a', 'signed headers'])
    expect(differences[0]?.hint).toContain('this request does not sign it')
    expect(differences[1]?.hint).toContain('a different request than the one given here')
    expect(summary).toContain('The signature that arrived is not the one computed here')
  })

  test('with bytes beyond UTF-8 is compared byte by byte', async () => {
    const { attempt } = await service({
      auth: { credentials: { ...apiKey, secretAccessKey: 'x' } },
    })
    const { verdict } = await attempt('/V1/%FF', { headers: { 'x-amz-meta-a': 'a\u0085\u00ff' } })
    expect(verdict).toBe('secret-or-key')
  })
})

describe('a response', () => {
  test('can still be read', async () => {
    const { auth, base, send } = await service({ auth: { region: 'eu-west-1' } })
    const response = await send(`${base}/V1/k`)
    await diagnose(auth, response, `${base}/V1/k`)
    expect(await response.text()).toContain('AuthorizationHeaderMalformed')
  })

  test('that was read already leaves its status and headers', async () => {
    const { auth, base, send } = await service({ auth: { region: 'eu-west-1' } })
    const response = await send(`${base}/V1/k`)
    await response.text()
    const { verdict, differences, summary } = await diagnose(auth, response, `${base}/V1/k`)
    expect(verdict).toBe('unknown')
    expect(differences).toEqual([])
    expect(summary).toMatch(/^400: /)
    expect(summary).toContain('The response body has already been read')
  })

  test('to HEAD says that it has nothing to compare', async () => {
    const { attempt } = await service({
      auth: { credentials: { ...apiKey, secretAccessKey: 'x' } },
    })
    const { verdict, summary } = await attempt('/V1/k', { method: 'HEAD' })
    expect(verdict).toBe('unknown')
    expect(summary).toContain('The response has no body, so the server gave nothing to compare.')
  })

  test('to HEAD still tells of a clock that is off', async () => {
    const { auth, base, attemptOnce, emulator } = await service()
    emulator.fault({ skewMs: 3_600_000 })
    const response = await attemptOnce('/V1/k', 'HEAD')
    const init = { method: 'HEAD' }
    const { verdict, summary } = await diagnose(auth, response, `${base}/V1/k`, init)
    expect(verdict).toBe('clock')
    expect(summary).toContain('has no body')
  })

  test('that took the request has nothing to diagnose', async () => {
    const { auth, base, send } = await service()
    const response = await send(`${base}/V1/k`, { method: 'PUT', body: 'text' })
    const { verdict, summary } = await diagnose(auth, response, `${base}/V1/k`, {
      method: 'PUT',
      body: 'text',
    })
    expect(verdict).toBe('unknown')
    expect(summary).toBe('200: The server accepted the request, so there is nothing to diagnose.')
  })

  test('about a resource that is not there tells that the signature was accepted', async () => {
    const { attempt } = await service()
    const { verdict, differences, summary } = await attempt('/V1/none')
    expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
    expect(summary).toBe(
      '404 NoSuchKey: The signature was accepted; there is nothing at this path.\n\n' +
        'The server says: The specified key does not exist.',
    )
  })
})
