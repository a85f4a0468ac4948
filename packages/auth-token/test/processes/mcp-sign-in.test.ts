import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../../../../tests/support/bundle-program.ts'
import { mcpServer } from '../mcp/support/mcp-server.ts'
import { createBrowser } from '../sign-in/support/browser.ts'
import { startProvider } from '../sign-in/support/provider.ts'

const source = fileURLToPath(new URL('../fixtures/mcp-sign-in-process.ts', import.meta.url))
const program = await bundleProgram(source)

/** Four processes that share what a user has signed in for, and what they show the user. */
async function fourProcesses() {
  const server = await startProvider()
  const mcp = await mcpServer(async (token) =>
    Boolean(await server.provider.AccessToken.find(token)),
  )
  mcp.world.issuer = server.issuer
  mcp.world.scopes = ['read', 'offline_access']
  const place = await mkdtemp(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => rm(place, { recursive: true }))
  const opened: string[] = []
  const browser = createBrowser()
  const start = async (): Promise<ChildProcess> => {
    const child = fork(program, [mcp.url.href, place])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    child.on('message', ({ address }: { readonly address?: string }) => {
      if (address === undefined) return
      opened.push(address)
      void browser.signIn(address)
    })
    return child
  }
  const children = await Promise.all([start(), start(), start(), start()])
  /** Has each of them call the server, and resolves to the statuses or the codes of the errors. */
  const callAll = (turn: number): Promise<unknown[]> =>
    Promise.all(
      children.map(
        (child) =>
          new Promise((resolve) => {
            child.on('message', ({ status }: { readonly status?: unknown }) => {
              if (status !== undefined) resolve(status)
            })
            child.send(turn)
          }),
      ),
    )
  const lastToken = (): string => (mcp.seen.at(-1)?.authorization ?? '').replace('Bearer ', '')
  return { ...server, opened, callAll, lastToken }
}

// The server of the SDK does not take such a message.
const taken = [406, 406, 406, 406]

test(
  'four processes ask the user once, also where the server refuses the refresh token that they share',
  { timeout: 60_000 },
  async () => {
    const { opened, callAll, lastToken, end, revoked, count } = await fourProcesses()
    expect(await callAll(0)).toEqual(taken)
    expect(opened).toHaveLength(1)
    expect(await callAll(1)).toEqual(taken)
    expect(opened).toHaveLength(1)
    expect(revoked).toEqual([])
    // As when the user ends it at the server.
    await end(lastToken())
    expect(await callAll(2)).toEqual(taken)
    expect(opened).toHaveLength(2)
    // One of the four was told so.
    expect(count('/token', 400)).toBeGreaterThan(0)
    expect(await callAll(3)).toEqual(taken)
    expect(opened).toHaveLength(2)
  },
)
