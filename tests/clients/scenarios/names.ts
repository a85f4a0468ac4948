import assert from 'node:assert/strict'
import { assertLetIn, statusOf } from '../expect.ts'
import { atNight } from '../../support/nightly.ts'
import type { Scenario, Stage } from '../scenario.ts'

const topic = 'everyday names'
const method = 'POST'

// The URL parser leaves them as they are, and the signed form encodes them.
const left = `@:()'!=,+*$&;[]|~`.split('')
const parsed = [' ', '%', '"', '<', '^', '`', '{', '}']

// All of them in one name say as much as each in a name of its own, but not which of them failed.
const namesOf = (marks: readonly string[]): string[] => [
  ...atNight(marks, []).map((mark) => `a${mark}b`),
  marks.join('a'),
]

/** Objects and parameters by the names that people give them, signed. */
export const names: readonly Scenario[] = [
  {
    topic,
    name: "`@ : ( ) ' ! = , +` in a path: the object that was meant",
    run: (stage) => storeAndRead(stage, namesOf(left)),
  },
  {
    topic,
    name: 'a space, a percent sign and Unicode in a path: the object that was meant',
    run: (stage) =>
      storeAndRead(stage, [...namesOf(parsed), 'Übersicht (2) – 日本 🗂.csv', 'u\u0308', '100 %25']),
  },
  {
    topic,
    name: 'a `+` in a path, to a service that reads a raw one as a space: the object that was meant',
    plusInPath: 'space',
    run: (stage) => storeAndRead(stage, ['a+b', 'a b', '1 + 1']),
  },
  {
    topic,
    name: 'a `%` that begins no escape in a path: the object that was meant',
    async run({ connect, sigV4Auth, url, requests }) {
      const { send } = connect(sigV4Auth())
      const object = url('/V1/100%/5% of 2%z.csv')
      await (await send({ method: 'PUT', url: object, body: 'a;b' })).text()
      assert.equal(await (await send({ method: 'GET', url: object })).text(), 'a;b')
      const target = '/V1/100%25/5%25%20of%202%25z.csv'
      assert.deepEqual(
        requests().map((request) => request.target),
        [target, target],
      )
    },
  },
  {
    topic,
    name: 'a path means the same object, encoded or not',
    async run(stage) {
      const { connect, sigV4Auth, url } = stage
      const { send } = connect(sigV4Auth())
      const key = `user@example.com: (1)'!=,+ é`
      const object = url(pathOf(key))
      await (await send({ method: 'PUT', url: object, body: key })).text()
      const read = await send({ method: 'GET', url: url(`/V1/${encodeURIComponent(key)}`) })
      assert.equal(await read.text(), key)
    },
  },
  {
    topic,
    name: '`?uploads`: a parameter without a value',
    run: (stage) => sendQueries(stage, ['?uploads', '?uploads&prefix=a', '?uploads=', '?z&acl&a']),
  },
  {
    topic,
    name: '`?a=2&a=1&b`: parameters out of order, and repeated ones',
    run: (stage) => sendQueries(stage, ['?a=2&a=1&b', '?z=1&y=2&x=3', '?b=2&a=1&b=1&', '?a=1&A=2']),
  },
  {
    topic,
    name: "`@ : ( ) ' ! = , +` in a query",
    run: (stage) =>
      sendQueries(stage, [
        ...namesOf([...left, ...parsed].filter((mark) => !'&%'.includes(mark))).flatMap((name) => [
          `?q=${name}`,
          `?${name}=q`,
        ]),
        '?q=100%25&r=a%26b&s=1%2B1',
        '?prefix=Übersicht 日本/&delimiter=/',
      ]),
  },
]

/** Stores an object under each name, and reads each back. */
async function storeAndRead(
  { connect, sigV4Auth, url, requests }: Stage,
  keys: readonly string[],
): Promise<void> {
  const { send } = connect(sigV4Auth())
  for (const key of keys) {
    await (await send({ method: 'PUT', url: url(pathOf(key)), body: `of ${key}` })).text()
  }
  for (const key of keys) {
    const response = await send({ method: 'GET', url: url(pathOf(key)) })
    assert.equal(await response.text(), `of ${key}`)
  }
  assert.deepEqual(
    requests().map(({ target }) => decodeURIComponent(target)),
    [...keys, ...keys].map((key) => `/V1/${key}`),
  )
}

/** A path as a program writes it: only what would end the path, or be an escape, is encoded. */
function pathOf(key: string): string {
  return `/V1/${key.replaceAll('%', '%25')}`
}

/** Sends each query, which must be let in and say the same to the service. */
async function sendQueries(
  { connect, sigV4Auth, url, front, requests }: Stage,
  queries: readonly string[],
): Promise<void> {
  front.instead({
    path: '/V1/echo',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"data":{}}',
  })
  const { send } = connect(sigV4Auth())
  for (const query of queries) {
    assert.equal(await statusOf(send({ method, url: url(`/V1/echo${query}`), body: 'x' })), 200)
  }
  assertLetIn(requests(), ...Array<string>(queries.length).fill('sigv4'))
  assert.deepEqual(
    requests().map(({ target }) => parametersOf(target.replace(/^[^?]*/, ''))),
    queries.map(parametersOf),
  )
}

/** The parameters as a service reads them: names in any order, values of one name in theirs. */
function parametersOf(query: string): [name: string, value: string][] {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return [...parameters]
}
