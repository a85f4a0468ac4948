import { describe, expect, test } from 'vitest'
import { run } from '../../../../tests/support/run-program.ts'
import { primary } from '../support/service.ts'
import { version } from '../testing.ts'

describe('the registry', () => {
  test('is made by the first request and not by an import or a scheme', async () => {
    // In a scope of its own: this one has its registry.
    const script = `
      const { createTokenAuth } = await import('@svc/auth-token')
      const auth = createTokenAuth({ baseUrl: 'http://127.0.0.1:1', credentials: ${JSON.stringify(primary)} })
      const has = () => Symbol.for('svc-auth.sessions.${version}') in globalThis
      const before = has()
      await auth.getToken().catch(() => {})
      console.log(before, has())`
    const index = new URL('../../src/index.ts', import.meta.url).href
    const own = script.replace('@svc/auth-token', index)
    const flags = ['--conditions=@svc/source', '--input-type=module', '-e', own]
    const { stdout } = await run(process.execPath, flags)
    expect(stdout.trim()).toBe('false true')
  })

  test('tells users apart although arrays become some other JSON, as with old libraries', async () => {
    const [index, memory] = ['index.ts', 'stores/memory.ts'].map(
      (file) => new URL(`../../src/${file}`, import.meta.url).href,
    )
    const script = `
      Array.prototype.toJSON = () => '[]'
      const { createTokenAuth } = await import('${index}')
      const { memoryTokenStore } = await import('${memory}')
      const fetch = async (input, { body }) =>
        Response.json({ Token: new URL(input).host + '/' + JSON.parse(body).Username })
      for (const store of [undefined, memoryTokenStore()]) {
        for (const baseUrl of ['https://a.example', 'https://b.example']) {
          for (const username of ['one', 'other']) {
            const credentials = { username, password: 'a password' }
            const auth = createTokenAuth({ baseUrl, credentials, fetch, store })
            console.log(await auth.getToken())
          }
        }
      }`
    const flags = ['--conditions=@svc/source', '--input-type=module', '-e', script]
    const { stdout } = await run(process.execPath, flags)
    const tokens = ['a.example/one', 'a.example/other', 'b.example/one', 'b.example/other']
    expect(stdout.trim().split('\n')).toEqual([...tokens, ...tokens])
  })
})
