import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { authorizationServer } from '../../oauth2/support/authorization-server.ts'
import { mcpServer } from './mcp-server.ts'

/** The packages that are measured, in the versions that are installed. */
export const sdkNames = {
  '1': `@modelcontextprotocol/sdk ${versionOf('sdk')}`,
  '2': `@modelcontextprotocol/client ${versionOf('client')}`,
}

function versionOf(name: string): string {
  const folder = join(import.meta.dirname, `../../../node_modules/@modelcontextprotocol/${name}`)
  // A manifest, as every package has.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly version: string
  }
  return manifest.version
}

/** An MCP server, the real authorization server in front of it, and a user who has signed in. */
export async function mcpWorld() {
  const server = await authorizationServer({
    features: { deviceFlow: { enabled: true }, registration: { enabled: true } },
  })
  const mcp = await mcpServer(async (token) => {
    const { ok } = await fetch(server.baseUrl, { headers: { authorization: `Bearer ${token}` } })
    return ok
  })
  mcp.world.issuer = server.issuer
  return { ...server, mcp }
}

/** What came of the calls of some processes. */
export interface Measured {
  readonly calls: number
  readonly succeeded: number
  /** The number of times that a user would be asked to sign in. */
  readonly prompts: number
  readonly tokenRequests: number
  /** The number of times that the authorization server ended the sign-in, since a refresh token came twice. */
  readonly revoked: number
  readonly outcomes: readonly string[]
}

/**
 * Has processes share one sign-in and call a tool in rounds, before each of which the access token ends.
 *
 * @param program - What each process runs.
 * @param version - The major version of the MCP SDK.
 * @param role - `own` for its own OAuth, else `authMcp`.
 */
export async function measure(
  program: string,
  version: '1' | '2',
  role: 'own' | 'authMcp',
  shape: { readonly processes: number; readonly rounds: number; readonly calls: number },
): Promise<Measured> {
  const { mcp, signIn, tokenRequests, revoked, end } = await mcpWorld()
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const first = await signIn(mcp.url.href)
  const place = join(folder, 'sign-in')
  // A sign-in just made: its access token is over already, so that the first call needs another one.
  if (role === 'own') {
    await writeFile(
      place,
      JSON.stringify({ access_token: 'over', token_type: 'Bearer', refresh_token: first }),
    )
  }
  const start = async (): Promise<ChildProcess> => {
    const child = fork(program, [version, role, mcp.url.href, place, first])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    return child
  }
  const children: ChildProcess[] = []
  // One after the other: what is measured is a sign-in that everybody has.
  for (let index = 0; index < shape.processes; index += 1) children.push(await start())
  const turn = async (child: ChildProcess) => {
    const reported = once(child, 'message')
    child.send(shape.calls)
    return (await reported)[0] as { readonly outcomes: string[]; readonly prompts: number }
  }
  const outcomes: string[] = []
  let prompts = 0
  for (let round = 0; round < shape.rounds; round += 1) {
    for (const { authorization } of mcp.seen) await end(authorization.replace('Bearer ', ''))
    const reports = await Promise.all(children.map(turn))
    outcomes.push(...reports.flatMap((report) => report.outcomes))
    prompts = reports.reduce((sum, report) => sum + report.prompts, 0)
  }
  return {
    calls: outcomes.length,
    succeeded: outcomes.filter((one) => one === 'ok').length,
    prompts,
    tokenRequests: tokenRequests.length,
    revoked: revoked(),
    outcomes,
  }
}
