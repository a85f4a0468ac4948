import { inspect } from 'node:util'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { presign } from '@svc/auth-sigv4/presign'
import { describe, expect, test } from 'vitest'
import { exampleAuth } from './support/signing.ts'

const url = 'https://examplebucket.s3.amazonaws.com/test.txt'
const hidden = 'hidden-value-of-a-header'

type GivenHeaders = RequestInit['headers']

const doors: readonly {
  readonly name: string
  readonly option: string
  readonly open: (headers: GivenHeaders) => Promise<unknown>
}[] = [
  {
    name: 'presign',
    option: 'headers',
    open: (headers) => presign(exampleAuth(), url, { headers }),
  },
  {
    name: 'diagnose',
    option: 'init.headers',
    open: (headers) =>
      diagnose(exampleAuth(), new Response(null, { status: 403 }), url, {
        ...(headers !== undefined && { headers }),
      }),
  },
]

describe.each(doors)('headers for $name', ({ name, option, open }) => {
  test.each<[what: string, headers: unknown]>([
    ['a text', `x-a: ${hidden}`],
    ['a text in an object', Object(`x-a: ${hidden}`)],
    ['an empty text', ''],
    ['a number', 5],
    ['a symbol', Symbol(hidden)],
    ['a list of texts', [`x-a: ${hidden}`]],
    ['a list of no pairs', [['x-a', hidden, hidden]]],
    ['a value with a line break', { 'x-a': `${hidden}\r\nx-b: 1` }],
    ['a value with a NUL', { 'x-a': `${hidden}\0` }],
    ['a value beyond Latin-1', { 'x-a': `${hidden}€` }],
    ['a value that is a symbol', { 'x-a': Symbol(hidden) }],
    ['a name that is none', { [`x-a: ${hidden}`]: '1' }],
    ...['\u0001', '\u001b', '\u001f', '\u007f'].map((control): [string, unknown] => [
      `a value with ${JSON.stringify(control)}`,
      { 'x-a': `${hidden}${control}${hidden}` },
    ]),
  ])('that are %s are refused, and not shown', async (_what, headers) => {
    // What a caller without types may give.
    const error: unknown = await open(headers as GivenHeaders).catch((cause: unknown) => cause)
    expect(error).toEqual(
      new TypeError(`[@svc/auth-sigv4] ${name}: ${option} must be headers that fetch accepts`),
    )
    expect(error).not.toHaveProperty('cause')
    expect(inspect(error, { showHidden: true })).not.toContain('hidden')
  })

  test.each<[what: string, headers: GivenHeaders]>([
    ['none', undefined],
    ['a record', { 'x-a': 'a\tb', 'x-b': 'é\u00a0ÿ\u0080' }],
    ['pairs', [['x-a', '1']]],
    ['Headers', new Headers({ 'x-a': '' })],
  ])('may be %s', async (_what, headers) => {
    await expect(open(headers)).resolves.toBeDefined()
  })
})

test.each([5, Symbol('hidden'), '', 'G T', 'GET\r\n', {}])(
  'the method of a request to diagnose is not %s',
  async (method) => {
    // What a caller without types may give.
    const init = { method } as RequestInit
    await expect(
      diagnose(exampleAuth(), new Response(null, { status: 403 }), url, init),
    ).rejects.toThrow(
      new TypeError('[@svc/auth-sigv4] diagnose: init.method must be an HTTP method such as GET'),
    )
  },
)
