import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fakeBrowser } from '../support/fake-browser.ts'
import { startMcpService } from '../support/mcp-service.ts'
import { readSnippets } from '../support/readme-snippets.ts'
import { shownModules } from '../support/shown-modules.ts'

// What the guide has an agent run, as an agent runs it.

const guide = 'docs/guides/mcp.md'
const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, guide), 'utf8')
const snippets = readSnippets(guide)
const browser = await fakeBrowser()
const modules = shownModules('.mcp-guide', snippets)
const fileOf = (part: string): string =>
  snippets.find(({ code }) => code.includes(part))?.file ?? part
const bridge = fileOf('StdioServerTransport')
const helper = fileOf('JSON.stringify({ Authorization')

let service: Awaited<ReturnType<typeof startMcpService>>
let environment: Record<string, string> = {}
beforeAll(async () => {
  service = await startMcpService()
  modules.write((code) => code.replaceAll("'https://mcp.example.com", `'${service.origin}`))
  const PATH = `${browser.path}${delimiter}${process.env['PATH']}`
  environment = { PATH, XDG_STATE_HOME: join(modules.path, 'state') }
})
afterAll(async () => {
  modules.remove()
  await browser.remove()
  await service.close()
})

/** An agent that starts the bridge. */
async function startAgent(): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const args = [
    '--conditions=@svc/source',
    '--disable-warning=ExperimentalWarning',
    join(modules.path, bridge),
  ]
  const options = { command: process.execPath, args, env: environment, stderr: 'ignore' } as const
  await client.connect(new StdioClientTransport(options))
  return client
}

test('agents that start the bridge at once use the server by one sign-in, and so does the helper', async () => {
  const agents = await Promise.all([startAgent(), startAgent(), startAgent()])
  const calls = agents.map((agent) => agent.callTool({ name: 'latest_report', arguments: {} }))
  for (const { content } of await Promise.all(calls)) {
    expect(content).toEqual([{ type: 'text', text: 'all is well' }])
  }
  await Promise.all(agents.map((agent) => agent.close()))
  const { stdout, stderr, status } = await modules.run(helper, environment)
  expect([stderr, status]).toEqual(['', 0])
  expect(JSON.parse(stdout)).toEqual({ Authorization: expect.stringMatching(/^Bearer \S+$/) })
  expect(service.signIns()).toBe(1)
})

test('a call that fails at the bridge is an error for the agent, which does not wait', async () => {
  const agent = await startAgent()
  service.fail(true)
  try {
    await expect(agent.callTool({ name: 'latest_report', arguments: {} })).rejects.toThrow(
      'MCP error -32000',
    )
  } finally {
    service.fail(false)
    await agent.close()
  }
})

test('the guide tells the versions that are measured', () => {
  const catalog = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
  const versions = [...catalog.matchAll(/'(@modelcontextprotocol\/\w+)': (\S+)/g)]
  expect(versions).toHaveLength(2)
  for (const [, name, version] of versions) expect(text).toContain(`\`${name}\` ${version}`)
})

test('what an agent is configured with is JSON that starts what the guide has saved', () => {
  const blocks = [...text.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, json = '']) => json)
  const servers = blocks.flatMap((json) => {
    const { mcpServers, servers: own = mcpServers } = JSON.parse(json)
    return Object.values(own as Record<string, { args?: string[]; headersHelper?: string }>)
  })
  const started = servers.map(({ args, headersHelper }) => headersHelper ?? args?.join(' '))
  expect(started).toEqual([
    '/home/me/mcp/bridge.mjs',
    '/home/me/mcp/bridge.mjs',
    'node /home/me/mcp/headers.mjs',
    '-c API_TOKEN=$(svc-auth token --profile reports) exec reports-mcp',
  ])
  for (const file of ['bridge.mjs', 'headers.mjs'])
    expect(text).toMatch(new RegExp(`as \`${file}\``))
})
