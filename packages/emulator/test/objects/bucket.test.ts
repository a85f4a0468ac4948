import { describe, expect, test } from 'vitest'
import { listening } from '../support/emulator.ts'

/** Starts an emulator that holds an object under each of these paths. */
async function holding(paths: readonly string[]) {
  const { signed } = await listening()
  for (const target of paths) await signed({ method: 'PUT', target, body: 'x' })
  const list = async (canonicalQuery: string, target = `/V1/?${canonicalQuery}`) => {
    const { status, text } = await signed({ target, canonicalQuery })
    expect(status).toBe(200)
    const all = (element: string) =>
      [...text.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(
        ([, value = '']) => value,
      )
    return {
      text,
      keys: all('Key'),
      prefixes: [...text.matchAll(/<CommonPrefixes><Prefix>([^<]*)</g)].map(([, one]) => one),
      isTruncated: all('IsTruncated')[0],
      token: all('NextContinuationToken')[0] ?? '',
      marker: all('NextMarker')[0] ?? '',
    }
  }
  return { signed, list }
}

describe('the bucket V1', () => {
  test('is there, and says where', async () => {
    const { signed } = await listening({ region: 'eu-central-1' })
    const region = 'eu-central-1'
    for (const target of ['/V1', '/V1/']) {
      expect(await signed({ method: 'HEAD', target, region })).toMatchObject({
        status: 200,
        headers: { 'x-amz-bucket-region': region },
      })
      const target2 = `${target}?location`
      const response = await signed({ target: target2, canonicalQuery: 'location=', region })
      expect(response.text).toContain('>eu-central-1</LocationConstraint>')
    }
  })

  test('has no name for us-east-1, as S3 has none', async () => {
    const { signed } = await listening()
    const response = await signed({ target: '/V1?location', canonicalQuery: 'location=' })
    expect(response.text).toContain('xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></Location')
  })

  test('can neither be made nor removed', async () => {
    const { signed } = await listening()
    expect((await signed({ method: 'PUT', target: '/V1' })).status).toBe(405)
    expect((await signed({ method: 'DELETE', target: '/V1' })).status).toBe(405)
  })
})

describe('a listing', () => {
  const paths = ['/V1/b', '/V1/a/2', '/V1/a/1', '/V1/a', '/V1/c/d/e', '/V1/%C3%BC', '/V1/Z']

  test('holds every key in the order of its bytes, with its size and its entity tag', async () => {
    const { list } = await holding(paths)
    const { keys, text, isTruncated } = await list('list-type=2')
    expect(keys).toEqual(['Z', 'a', 'a/1', 'a/2', 'b', 'c/d/e', '\u00fc'])
    expect(isTruncated).toBe('false')
    expect(text).toContain(
      '<Contents><Key>Z</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;9dd4e461268c8034f5c8564e155c67a6&quot;</ETag><Size>1</Size><StorageClass>STANDARD</StorageClass></Contents>',
    )
    expect(text).toContain('<KeyCount>7</KeyCount>')
  })

  test('holds what begins with a prefix, and rolls up what lies behind a delimiter', async () => {
    const { list } = await holding(paths)
    expect((await list('list-type=2&prefix=a')).keys).toEqual(['a', 'a/1', 'a/2'])
    expect((await list('list-type=2&prefix=none')).keys).toEqual([])
    const rolledUp = await list('delimiter=%2F&list-type=2')
    expect(rolledUp.keys).toEqual(['Z', 'a', 'b', '\u00fc'])
    expect(rolledUp.prefixes).toEqual(['a/', 'c/'])
    const below = await list('delimiter=%2F&list-type=2&prefix=a%2F')
    expect(below).toMatchObject({ keys: ['a/1', 'a/2'], prefixes: [] })
  })

  test('comes in pages, prefixes and a key that is one included', async () => {
    const { list } = await holding([...paths, '/V1/a/'])
    const found: (string | undefined)[] = []
    let token = ''
    do {
      const after = token === '' ? '' : `continuation-token=${token}&`
      const page = await list(`${after}delimiter=%2F&list-type=2&max-keys=1`)
      expect(page.isTruncated).toBe(String(page.token !== ''))
      found.push(...page.keys, ...page.prefixes)
      token = page.token
    } while (token !== '')
    expect(found).toEqual(['Z', 'a', 'a/', 'b', 'c/', '\u00fc'])
    const below = await list('delimiter=%2F&list-type=2&max-keys=1&prefix=a%2F')
    expect(below.keys).toEqual(['a/'])
    const next = `continuation-token=${below.token}&delimiter=%2F&list-type=2&prefix=a%2F`
    expect((await list(next)).keys).toEqual(['a/1', 'a/2'])
  })

  test('begins behind a key', async () => {
    const { list } = await holding(paths)
    expect((await list('list-type=2&start-after=a%2F1')).keys).toEqual([
      'a/2',
      'b',
      'c/d/e',
      '\u00fc',
    ])
    expect((await list('list-type=2&max-keys=0')).isTruncated).toBe('false')
  })

  test('of the first version goes on behind a marker', async () => {
    const { list } = await holding(paths)
    const first = await list('max-keys=2')
    expect(first).toMatchObject({ keys: ['Z', 'a'], isTruncated: 'true', marker: 'a' })
    expect((await list('marker=a&max-keys=2')).keys).toEqual(['a/1', 'a/2'])
    expect((await list('', '/V1')).keys).toHaveLength(7)
  })

  test('can be encoded, for keys that XML cannot hold', async () => {
    const { list } = await holding(['/V1/a%01%20%26%2B'])
    const encoded = await list('encoding-type=url&list-type=2')
    expect(encoded.keys).toEqual(['a%01%20%26%2B'])
    expect((await list('list-type=2')).keys).toEqual(['a\ufffd &amp;+'])
  })

  test('is JSON for who asks for that: paths that can be requested', async () => {
    const { signed } = await holding(['/V1/a%20b', '/V1/a/1', '/V1/%FF'])
    const headers = [['accept', 'application/json']] as const
    const listed = await signed({ target: '/V1/', headers })
    expect(JSON.parse(listed.text)).toEqual(['/V1/a%20b', '/V1/a/1', '/V1/%FF'])
    const below = await signed({
      target: '/V1/?prefix=a%2F',
      canonicalQuery: 'prefix=a%2F',
      headers,
    })
    expect(below.text).toBe('["/V1/a/1"]')
  })

  test('of a number of keys that is none is refused', async () => {
    const { signed } = await listening()
    const response = await signed({ target: '/V1/?max-keys=x' })
    expect(response.status).toBe(400)
    expect(response.text).toContain('<Code>InvalidArgument</Code>')
  })
})
