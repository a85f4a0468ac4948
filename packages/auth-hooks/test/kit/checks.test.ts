import { checkOptions, misnamed } from '@svc/auth-hooks/scheme'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

interface KeyOptions {
  readonly baseUrl?: string
  readonly expiresInSeconds?: number
  readonly chunkBytes?: number
  readonly loginTimeoutMs?: number
  readonly fetch?: () => void
}

const caller = '[my-package] createKeyAuth'
const names = {
  baseUrl: 'endpoint host',
  expiresInSeconds: 'expires expiresIn',
  chunkBytes: 'chunkSize',
  loginTimeoutMs: 'timeout',
  fetch: '',
}

function read(options: object, hint?: string): KeyOptions {
  return checkOptions<KeyOptions>(options, caller, names, hint)
}

function messageOf(options: object): string {
  try {
    read(options)
  } catch (error) {
    return error instanceof TypeError ? error.message : 'another error'
  }
  return ''
}

describe('an unknown option', () => {
  test.each([
    ['baseURL', 'baseUrl'],
    ['base_url', 'baseUrl'],
    ['base-url', 'baseUrl'],
    ['baseurl', 'baseUrl'],
    ['endpoint', 'baseUrl'],
    ['Endpoint', 'baseUrl'],
    ['expiresIn', 'expiresInSeconds'],
    ['expires', 'expiresInSeconds'],
    ['chunkSize', 'chunkBytes'],
    ['chunk_size', 'chunkBytes'],
    ['timeout', 'loginTimeoutMs'],
  ])('%s is told with the name that was meant, %s', (given, meant) => {
    const message = `${caller}: ${given} is not an option; did you mean ${meant}?`
    expect(messageOf({ [given]: 1 })).toBe(message)
  })

  test.each([
    'colour',
    'fecth',
    'loginTimeout',
    'toString',
    'constructor',
    '__proto__',
    'x',
    '0',
    'length',
  ])('%s, which stands for none, is told with all of them', (given) => {
    const options: unknown = JSON.parse(`{"${given}":1}`)
    expect(messageOf(Object(options))).toBe(
      `${caller}: ${given} is not an option; the options are ${Object.keys(names).join(', ')}`,
    )
  })

  test('is told with a hint where there is one', () => {
    expect(() => read({ colour: 1 }, '; see elsewhere')).toThrow(/fetch; see elsewhere$/)
    expect(() => read({ baseURL: 1 }, '; see elsewhere')).toThrow(/did you mean baseUrl\?$/)
  })

  test('is the first of several', () => {
    expect(messageOf({ baseUrl: 'x', one: 1, two: 2 })).toContain('one is not an option')
  })
})

test('any known names are taken, and no other', () => {
  const known = Object.keys(names)
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.constantFrom(...known), fc.string()), fc.nat()),
      (given) => {
        const isKnown = Object.keys(given).every((name) => known.includes(name))
        const message = messageOf(given)
        expect(message.includes(' is not an option; ')).toBe(!isKnown)
        expect(message === '').toBe(isKnown)
      },
    ),
  )
})

describe('options', () => {
  test.each([
    undefined,
    null,
    0,
    'https://h',
    Symbol('options'),
    () => ({}),
    [],
    new URL('https://h'),
    new Map(),
    new Date(),
    Promise.resolve({}),
    new Headers(),
  ])('that are no plain object are refused: %o', (options) => {
    // As a caller without types gives them.
    const message = `${caller}: options must be an object with any of ${Object.keys(names).join(', ')}`
    expect(() => read(options as object)).toThrow(new TypeError(message))
  })

  test('are read once, each known name alone', () => {
    const asked: string[] = []
    const handler: ProxyHandler<object> = {
      get(target, name, receiver) {
        if (typeof name === 'string') asked.push(name)
        return Reflect.get(target, name, receiver)
      },
    }
    const copy = read(new Proxy({ baseUrl: 'https://h' }, handler))
    expect(asked.toSorted()).toEqual(Object.keys(names).toSorted())
    const before = asked.length
    expect([copy.baseUrl, copy.baseUrl, copy.fetch]).toEqual(['https://h', 'https://h', undefined])
    expect(asked.length).toBe(before)
  })

  test('that change after they were checked change nothing', () => {
    const options = { baseUrl: 'https://h' }
    const copy = read(options)
    options.baseUrl = 'https://evil.example'
    expect(copy.baseUrl).toBe('https://h')
  })

  test('that inherit are read with what they inherit', () => {
    expect(read(Object.create({ baseUrl: 'https://h' })).baseUrl).toBe('https://h')
  })
})

test('nothing that a polluted prototype holds is an option', () => {
  // As JSON that is merged carelessly leaves it.
  const polluted = { baseUrl: 'https://evil.example', colour: 1 }
  try {
    Object.assign(Object.prototype, polluted)
    expect(Object.entries(read({ chunkBytes: 1 }))).toContainEqual(['baseUrl', undefined])
    expect(read({ baseUrl: 'https://h' }).baseUrl).toBe('https://h')
    expect(read(Object.create({ baseUrl: 'https://h' })).baseUrl).toBe('https://h')
  } finally {
    for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
  }
})

describe('a name of data', () => {
  const known = { username: 'user login', password: 'secret', parentUid: 'parentId' }
  const of = (data: object): string | undefined => misnamed(data, 'credentials', known)
  const right = { username: 'reader', password: 'hidden' }

  test.each([
    [{ Username: 'a', Password: 'b' }, 'Username', 'username'],
    [{ userName: 'a', password: 'b' }, 'userName', 'username'],
    [{ user: 'a', password: 'b' }, 'user', 'username'],
    [{ user_name: 'a', password: 'b' }, 'user_name', 'username'],
    [{ username: 'a', secret: 'b' }, 'secret', 'password'],
    [{ ...right, ParentUid: 'c' }, 'ParentUid', 'parentUid'],
    [{ ...right, parent_uid: 'c' }, 'parent_uid', 'parentUid'],
    [{ ...right, parentId: 'c' }, 'parentId', 'parentUid'],
  ])('%j is told', (data, given, meant) => {
    expect(of(data)).toBe(`credentials.${given} is not known; did you mean ${meant}?`)
  })

  test.each<[name: string, data: object]>([
    ['right names', right],
    ['names of something else', { ...right, id: 1, uid: 'u', email: 'e', parent: {}, userId: 'x' }],
    ['other names beside the right ones', { ...right, Username: 'a', user: 'b', secret: 'c' }],
    ['a wire name that is undefined', { ...right, ParentUid: undefined }],
    ['a wire name beside the right one', { ...right, parentUid: 'c', ParentUid: 'c' }],
    [
      'a wire name of what is inherited',
      Object.assign(Object.create({ username: 'a' }), { Username: 'b', password: 'c' }),
    ],
    [
      'a wire name that is not enumerable',
      Object.defineProperty({ ...right }, 'ParentUid', { value: 'c' }),
    ],
    [
      'a getter that throws',
      Object.defineProperty({ ...right }, 'lazy', {
        enumerable: true,
        get: () => {
          throw new Error('never asked')
        },
      }),
    ],
  ])('is left alone: %s', (_name, data) => {
    expect(of(data)).toBeUndefined()
  })

  test('is told of no data at all', () => {
    expect(of({})).toBeUndefined()
  })
})
