import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createRouteAuthSelector } from '@svc/route-auth-selector'
import { routesFromOpenApi, type RoutesFromOpenApiOptions } from '@svc/route-auth-selector/openapi'
import type { AuthScheme } from '@svc/types'
import { chosenBy, origin, serviceRoutes, standIn } from './support/stand-ins.ts'

const token = standIn('token').scheme
const sigv4 = standIn('sigv4').scheme
const both = standIn('both').scheme

type Paths = Record<string, Record<string, unknown>>

/** Returns a selector with the routes of a document. */
function select(
  document: Record<string, unknown>,
  options: Partial<RoutesFromOpenApiOptions> = {},
): AuthScheme {
  const whole = { openapi: '3.1.0', servers: [{ url: origin }], ...document }
  return createRouteAuthSelector(
    routesFromOpenApi(whole, { schemes: { token, sigv4 }, ...options }),
  )
}

const secured = (...names: string[]) => ({
  security: names.map((name) => Object.fromEntries(name.split('+').map((one) => [one, []]))),
})
const withPaths = (paths: Paths, more: Record<string, unknown> = {}): AuthScheme =>
  select({ paths, ...more })

describe('the security of an operation', () => {
  test('counts before that of the document, which is for all others', () => {
    const auth = withPaths(
      { '/a': { get: secured('token'), post: {} } },
      { security: [{ sigv4: [] }] },
    )
    expect(chosenBy(auth, '/a')).toBe('token')
    expect(chosenBy(auth, '/a', 'POST')).toBe('sigv4')
    expect(chosenBy(auth, '/a', 'DELETE')).toBe('sigv4')
    expect(chosenBy(auth, '/elsewhere')).toBe('sigv4')
  })

  test('without one of the document lets nothing else through', () => {
    const auth = withPaths({ '/a': { get: secured('token') }, '/open': { get: {} } })
    expect(chosenBy(auth, '/a')).toBe('token')
    expect(chosenBy(auth, '/open')).toBe('anonymous')
    for (const [path, method] of [
      ['/a', 'POST'],
      ['/elsewhere', 'GET'],
    ] as const) {
      expect(() => chosenBy(auth, path, method)).toThrow(
        expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' }),
      )
    }
    expect(auth.covers(new URL('/a', origin))).toBe(true)
    expect(auth.covers(new URL('/elsewhere', origin))).toBe(false)
  })

  test('of several alternatives takes the first that a scheme is given for', () => {
    const auth = withPaths({ '/a': { get: secured('other', 'sigv4', 'token') } })
    expect(chosenBy(auth, '/a')).toBe('sigv4')
  })

  test('that may be none is none only where no other alternative is given', () => {
    const optional = { security: [{}, { token: [] }] }
    const unknown = { security: [{}, { other: [] }] }
    const auth = withPaths({ '/a': { get: optional }, '/b': { get: unknown } })
    expect(chosenBy(auth, '/a')).toBe('token')
    expect(chosenBy(auth, '/b')).toBe('anonymous')
  })

  test('that is an empty list is none', () => {
    const auth = withPaths({ '/a': { get: { security: [] } } }, { security: [{ token: [] }] })
    expect(chosenBy(auth, '/a')).toBe('anonymous')
    expect(chosenBy(auth, '/b')).toBe('token')
    expect(chosenBy(withPaths({}, { security: [] }), '/b')).toBe('anonymous')
  })

  test('of two schemes at once needs one that does both', () => {
    const paths = { '/a': { get: secured('token+sigv4') } }
    expect(() => withPaths(paths)).toThrow(
      new TypeError(
        '[@svc/route-auth-selector] routesFromOpenApi: schemes must have "token+sigv4", which paths./a.get.security needs',
      ),
    )
    for (const name of ['token+sigv4', 'sigv4+token']) {
      const auth = select({ paths }, { schemes: { token, sigv4, [name]: both } })
      expect(chosenBy(auth, '/a')).toBe('both')
    }
    const alternative = { '/a': { get: secured('token+sigv4', 'sigv4') } }
    expect(chosenBy(withPaths(alternative), '/a')).toBe('sigv4')
  })

  test('for GET is that for HEAD, where the document does not name HEAD', () => {
    const auth = withPaths({
      '/a': { get: secured('token') },
      '/b': { get: secured('token'), head: secured('sigv4') },
    })
    expect(chosenBy(auth, '/a', 'HEAD')).toBe('token')
    expect(chosenBy(auth, '/b', 'HEAD')).toBe('sigv4')
  })
})

describe('a path of a document', () => {
  test.each([
    ['/users/{id}', '/users/1', true],
    ['/users/{id}', '/users/a%20b', true],
    ['/users/{id}', '/users/a%2Fb', true],
    ['/users/{id}', '/users/1/', true],
    ['/users/{id}', '/users', false],
    ['/users/{id}', '/users/', false],
    ['/users/{id}', '/users/1/2', false],
    ['/users/{id}', '/Users/1', false],
    ['/%75sers/{id}', '/users/1', true],
    ['/größe/{id}', '/gr%C3%B6%c3%9fe/1', true],
    ['/{name}.{format}', '/report.csv', true],
    ['/{name}.{format}', '/a.b.c', true],
    ['/{name}.{format}', '/.csv', false],
    ['/{name}.{format}', '/report.', false],
    ['/{name}.{format}', '/report', false],
    ['/v{n}', '/v1', true],
    ['/v{n}', '/v', false],
    ['/{a}-{b}-{c}', '/1-2-3', true],
    ['/{a}-{b}-{c}', '/1--3', false],
    ['/{a}-{b}-{c}', '/1---3', true],
    ['/', '/', true],
  ])('%s takes %s: %s', (template, path, isTaken) => {
    const auth = withPaths({ [template]: { get: secured('token') } }, { security: [{ sigv4: [] }] })
    expect(chosenBy(auth, path)).toBe(isTaken ? 'token' : 'sigv4')
  })

  test('is chosen by its concrete segments, left to right, whatever the order in the document', () => {
    const paths = {
      '/{a}/b/c': { get: secured('token') },
      '/a/{b}/{c}': { get: secured('sigv4') },
      '/{a}/{b}/{c}': { get: {} },
      '/a/b/{c}': { get: secured('both') },
    }
    for (const order of [Object.entries(paths), Object.entries(paths).toReversed()]) {
      const auth = select({ paths: Object.fromEntries(order) }, { schemes: { token, sigv4, both } })
      expect(chosenBy(auth, '/a/b/c')).toBe('both')
      expect(chosenBy(auth, '/a/x/c')).toBe('sigv4')
      expect(chosenBy(auth, '/x/b/c')).toBe('token')
      expect(chosenBy(auth, '/x/x/c')).toBe('anonymous')
    }
  })

  test('with a variable is taken where the concrete one lacks the method', () => {
    const auth = withPaths({
      '/users/me': { get: secured('token') },
      '/users/{id}': { get: {}, delete: secured('sigv4') },
    })
    expect(chosenBy(auth, '/users/me')).toBe('token')
    expect(chosenBy(auth, '/users/me', 'DELETE')).toBe('sigv4')
  })

  test('that stands there twice must have one security', () => {
    const same = { '/a/{x}': { get: secured('token') }, '/a/{y}/': { get: secured('token') } }
    expect(chosenBy(withPaths(same), '/a/1')).toBe('token')
    const other = { '/a/{x}': { get: secured('token') }, '/a/{y}/': { get: secured('sigv4') } }
    expect(() => withPaths(other)).toThrow('paths./a/{y}/ must not have another security')
  })

  test('is the same however it is escaped', () => {
    const other = {
      '/café/{x}': { get: secured('token') },
      '/caf%C3%A9/{y}': { get: secured('sigv4') },
    }
    expect(() => withPaths(other)).toThrow('paths./caf%C3%A9/{y} must not have another security')
  })

  test('names its methods in any case, and those that OpenAPI has no name for', () => {
    const additionalOperations = { copy: secured('token') }
    const item = { GET: secured('token'), Patch: secured('token'), additionalOperations }
    const auth = withPaths({ '/a': item }, { security: [{ sigv4: [] }] })
    for (const method of ['GET', 'HEAD', 'PATCH', 'COPY']) {
      expect(chosenBy(auth, '/a', method)).toBe('token')
    }
    expect(chosenBy(auth, '/a', 'PUT')).toBe('sigv4')
  })

  test('is read in a time that is linear in its length', () => {
    const slashes = '/'.repeat(300_000)
    const servers = [{ url: `${origin}/${slashes}a` }]
    const auth = withPaths({ [`${slashes}a`]: { get: secured('token') } }, { servers })
    expect(auth.name).toBe('route')
  })

  test('may be a reference within the document', () => {
    const document = {
      components: { pathItems: { 'a/b': { get: secured('token') } } },
      paths: {
        '/{x}': { $ref: '#/components/pathItems/a~1b' },
        '/y': { $ref: '#/paths/~1%7Bx%7D' },
      },
    }
    expect(chosenBy(select(document), '/x')).toBe('token')
    expect(chosenBy(select(document), '/y')).toBe('token')
  })
})

describe('the servers of a document', () => {
  test('give the origin and the base path', () => {
    const auth = withPaths(
      { '/a': { get: secured('token') } },
      { servers: [{ url: `${origin}/api/v2/` }], security: [{ sigv4: [] }] },
    )
    expect(chosenBy(auth, '/api/v2/a')).toBe('token')
    expect(chosenBy(auth, '/api/v2/b')).toBe('sigv4')
    expect(() => chosenBy(auth, '/a')).toThrow('is not covered')
  })

  test('have a base path that no encoded slash stands for', () => {
    const auth = withPaths(
      { '/users/{id}': { get: secured('token') } },
      { servers: [{ url: `${origin}/api/v1` }], security: [{ sigv4: [] }] },
    )
    expect(chosenBy(auth, '/api/v1/users/1')).toBe('token')
    expect(chosenBy(auth, '/api%2Fv1/admin/users/1')).toBe('sigv4')
    expect(chosenBy(auth, '/api%2Fv1/users/1')).toBe('sigv4')
  })

  test('give way to baseUrl, which relative ones need', () => {
    const document = { paths: { '/a': { get: secured('token') } } }
    for (const servers of [[{ url: 'https://elsewhere.example' }], [{ url: '/api' }], undefined]) {
      const auth = select({ ...document, servers }, { baseUrl: new URL('/base', origin) })
      expect(chosenBy(auth, '/base/a')).toBe('token')
    }
    expect(() => select({ ...document, servers: [{ url: '/api' }] })).toThrow(
      'baseUrl must be given, since servers[0].url is relative: /api',
    )
  })

  test('may be several, with paths of their own', () => {
    const elsewhere = 'https://other.example'
    const scheme = standIn('token', [origin, elsewhere]).scheme
    const auth = select(
      {
        servers: [{ url: `${origin}/api/v1` }, { url: `${elsewhere}/api/v2` }],
        paths: { '/{id}': { get: secured('token') } },
      },
      { schemes: { token: scheme } },
    )
    expect(chosenBy(auth, '/api/v1/x')).toBe('token')
    expect(chosenBy(auth, `${elsewhere}/api/v2/x`)).toBe('token')
    expect(() => chosenBy(auth, '/api/x')).toThrow('is not covered')
  })

  test('of an operation or a path are its own', () => {
    const uploads = 'https://uploads.example'
    const auth = select(
      {
        paths: {
          '/a': { get: secured('token') },
          '/file': { servers: [{ url: uploads }], put: secured('sigv4') },
          '/c': { get: { ...secured('sigv4'), servers: [{ url: '/other' }] } },
        },
      },
      {
        baseUrl: `${origin}/api`,
        schemes: { token, sigv4: standIn('sigv4', [origin, uploads]).scheme },
      },
    )
    expect(chosenBy(auth, '/api/a')).toBe('token')
    expect(chosenBy(auth, `${uploads}/file`, 'PUT')).toBe('sigv4')
    expect(chosenBy(auth, '/other/c')).toBe('sigv4')
    expect(() => chosenBy(auth, '/api/c')).toThrow(
      expect.objectContaining({ code: 'ERR_AUTH_ORIGIN' }),
    )
  })

  test('have no route of another server', () => {
    const uploads = 'https://uploads.example'
    const schemes = { token: standIn('token', [origin, uploads]).scheme }
    const auth = select(
      {
        security: [{ token: [] }],
        paths: {
          '/{name}': { servers: [{ url: uploads }], put: { security: [] } },
          '/api/{version}/a': { servers: [{ url: `${origin}/api` }], get: { security: [] } },
        },
      },
      { schemes },
    )
    // The one without authentication is that of the uploads alone.
    expect(chosenBy(auth, `${uploads}/file`, 'PUT')).toBe('anonymous')
    expect(chosenBy(auth, '/file', 'PUT')).toBe('token')
    expect(chosenBy(auth, '/api/api/v1/a')).toBe('anonymous')
    expect(chosenBy(auth, `${uploads}/api/api/v1/a`)).toBe('token')
  })

  test('may have the same path with another security each', () => {
    const uploads = 'https://uploads.example'
    const document = {
      servers: [{ url: `${origin}/v1` }],
      paths: {
        '/a': { get: secured('token') },
        '/v1/a': { servers: [{ url: uploads }], get: secured('sigv4') },
      },
    }
    const schemes = { token, sigv4: standIn('sigv4', [uploads]).scheme }
    const auth = select(document, { schemes })
    expect(chosenBy(auth, '/v1/a')).toBe('token')
    expect(chosenBy(auth, `${uploads}/v1/a`)).toBe('sigv4')
  })

  test('keep their paths apart although arrays become some other JSON, as with old libraries', () => {
    Reflect.set(Array.prototype, 'toJSON', () => '[]')
    try {
      const auth = withPaths({ '/a': { get: secured('token') }, '/b': { get: secured('sigv4') } })
      expect(chosenBy(auth, '/a')).toBe('token')
      expect(chosenBy(auth, '/b')).toBe('sigv4')
    } finally {
      Reflect.deleteProperty(Array.prototype, 'toJSON')
    }
  })

  test('may have variables with a default', () => {
    const url = 'https://{host}.example.com/{version}'
    const variables = { host: { default: 'search' }, version: { default: 'v1' } }
    const document = { paths: { '/a': { get: secured('token') } } }
    const auth = select({ ...document, servers: [{ url, variables }] })
    expect(chosenBy(auth, '/v1/a')).toBe('token')
    expect(() => select({ ...document, servers: [{ url }] })).toThrow(
      'servers[0].url must have a default for its variable host',
    )
  })
})

describe('a document that is wrong is named by its place:', () => {
  const cases: [string, Record<string, unknown>][] = [
    ["document.openapi must be '3.0.x'", { openapi: undefined, swagger: '2.0' }],
    ["document.openapi must be '3.0.x'", { openapi: '4.0.0' }],
    ['paths must be an object', { paths: [] }],
    ['paths./a must be an object', { paths: { '/a': null } }],
    [
      'paths./a.additionalOperations must be an object',
      { paths: { '/a': { additionalOperations: [] } } },
    ],
    ['paths./a.get must be an object', { paths: { '/a': { get: 1 } } }],
    ['paths./a.get.security must be an array', { paths: { '/a': { get: { security: {} } } } }],
    [
      'paths./a.get.security[0] must be an object',
      { paths: { '/a': { get: { security: ['token'] } } } },
    ],
    ['security must be an array', { security: 'token' }],
    ['paths.a must be a path', { paths: { a: { get: {} } } }],
    ['paths./a?b=c must be a path', { paths: { '/a?b=c': { get: {} } } }],
    ['must have variables such as {id}', { paths: { '/{a': { get: {} } } }],
    ['must have variables such as {id}', { paths: { '/{a/b}': { get: {} } } }],
    ['with text between two of them', { paths: { '/{a}{b}{c}': { get: {} } } }],
    ['paths./a.$ref must not lead in a circle', { paths: { '/a': { $ref: '#/paths/~1a' } } }],
    ['paths./a.$ref must lead to a place', { paths: { '/a': { $ref: '#/nowhere/%zz' } } }],
    ['bundle it first', { paths: { '/a': { $ref: 'other.yaml' } } }],
    ['servers must be an array', { servers: {} }],
    ['servers[0].url must be a URL', { servers: [null] }],
    ['must be an absolute URL such as https://', { servers: [{ url: 'ftp://h' }] }],
    ['must not contain credentials', { servers: [{ url: 'https://u:p@h' }] }],
    [
      'schemes must have "other" or "more", which paths./a.get.security needs',
      { paths: { '/a': { get: secured('other', 'more') } } },
    ],
    [
      'schemes.sigv4 is no security scheme of the document, which has token',
      { components: { securitySchemes: { token: {} } } },
    ],
  ]
  test.each(cases)('%s', (message, document) => {
    expect(() => select(document)).toThrow(TypeError)
    expect(() => select(document)).toThrow(message)
  })

  test.each([undefined, null, 'openapi: 3.1.0', []])(
    'document must be an object, not %j',
    (given) => {
      expect(() => routesFromOpenApi(given, { schemes: {} })).toThrow('document must be an object')
    },
  )

  test('options are named too', () => {
    const document = { openapi: '3.1.0', paths: {}, servers: [{ url: origin }] }
    const made = (options: object) => () => routesFromOpenApi(document, options as never)
    expect(made({})).toThrow('schemes must be an object')
    expect(made({ schemes: { token: {} } })).toThrow('schemes.token')
    expect(made({ schemes: {}, server: origin })).toThrow('did you mean baseUrl')
  })
})

test('an object with circles is read, since only its paths are', () => {
  const item: Record<string, unknown> = { get: secured('token') }
  item['self'] = item
  expect(chosenBy(withPaths({ '/a': item }), '/a')).toBe('token')
})

test('ten thousand operations make one table, in which any is found', () => {
  const paths: Paths = {}
  for (let at = 0; at < 10_000; at += 1) {
    paths[`/part${at % 100}/{id}/sub${at}`] = { get: secured(at % 2 ? 'token' : 'sigv4') }
  }
  const auth = withPaths(paths)
  for (const at of [0, 1, 4998, 9999]) {
    expect(chosenBy(auth, `/part${at % 100}/x/sub${at}`)).toBe(at % 2 ? 'token' : 'sigv4')
  }
})

test('the time of a segment with many variables is linear in its length', () => {
  const template = `/${Array.from({ length: 20 }, (_, at) => `{v${at}}`).join('-')}.end`
  const auth = withPaths({ [template]: { get: secured('token') } }, { security: [{ sigv4: [] }] })
  // A pattern that goes back would take longer than anybody waits.
  expect(chosenBy(auth, `/${'-'.repeat(7000)}`)).toBe('sigv4')
  expect(chosenBy(auth, `/${'a-'.repeat(3000)}b.end`)).toBe('token')
})

test('the table finds the route that comparing all templates one by one does', () => {
  const segment = fc.constantFrom('a', 'b', '{x}', 'a{x}', '{x}.b')
  const template = fc.array(segment, { maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
  const part = fc.constantFrom('a', 'b', 'ab', 'a.b', 'x')
  const path = fc.array(part, { maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
  const fits = (pattern: string, value: string): boolean =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('{x}', '.+')}$`).test(value)
  fc.assert(
    fc.property(fc.uniqueArray(template, { maxLength: 8 }), path, (templates, given) => {
      const auth = withPaths(
        Object.fromEntries(templates.map((one) => [one, { get: secured('token') }])),
        { security: [{ sigv4: [] }] },
      )
      const parts = given.split('/').slice(1).filter(Boolean)
      const isNamed = templates.some((one) => {
        const patterns = one.split('/').slice(1).filter(Boolean)
        return (
          patterns.length === parts.length &&
          patterns.every((pattern, at) => fits(pattern, parts[at] ?? ''))
        )
      })
      expect(chosenBy(auth, given)).toBe(isNamed ? 'token' : 'sigv4')
    }),
  )
})

test('the document of the service has the routes of createServiceRoutes', () => {
  const file = new URL('../../../examples/openapi/service.json', import.meta.url)
  // A document of this repository.
  const service = JSON.parse(readFileSync(file, 'utf8')) as { paths: Paths }
  const baseUrl = `${origin}/base`
  const options = { schemes: { token, signature: sigv4 }, baseUrl }
  const byDocument = createRouteAuthSelector(routesFromOpenApi(service, options))
  const { auth } = serviceRoutes(baseUrl)
  const operations = Object.entries(service.paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method): [string, string][] =>
      method === 'parameters' ? [] : [[method.toUpperCase(), path.replace('{name}', 'a%20b')]],
    ),
  )
  expect(operations).toHaveLength(4)
  for (const [method, path] of operations) {
    const chosen = chosenBy(byDocument, `/base${path}`, method)
    expect([path, chosen]).toEqual([path, chosenBy(auth, `/base${path}`, method)])
  }
})
