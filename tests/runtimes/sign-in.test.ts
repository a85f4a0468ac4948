import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { mcpServer } from '../../packages/auth-token/test/mcp/support/mcp-server.ts'
import { createBrowser } from '../../packages/auth-token/test/sign-in/support/browser.ts'
import { startProvider } from '../../packages/auth-token/test/sign-in/support/provider.ts'
import { bun, deno, denoRun, hasBun, hasDeno } from '../support/other-runtimes.ts'

const program = join(import.meta.dirname, 'sign-in/program.ts')
const permissions = ['net', 'read', 'write', 'env', 'sys'].map((name) => `--allow-${name}`)
const runtimes = [
  { name: 'Bun', isThere: hasBun(), command: [bun] },
  { name: 'Deno', isThere: hasDeno(), command: [deno, ...denoRun, ...permissions] },
] as const

/** What the program reports. */
interface Report {
  readonly verificationUri?: string
  readonly userCode?: string
  readonly opened?: string
}

for (const { name, isThere, command } of runtimes) {
  test.skipIf(!isThere)(
    `in ${name}, a user signs in by a code and in the browser, and the token of an MCP client is renewed once`,
    { timeout: 60_000 },
    async () => {
      const server = await startProvider({ intervalSeconds: 1 })
      const mcp = await mcpServer(async (token) =>
        Boolean(await server.provider.AccessToken.find(token)),
      )
      mcp.world.issuer = server.issuer
      const path = await mkdtemp(join(tmpdir(), 'svc-auth-'))
      onTestFinished(() => rm(path, { recursive: true }))
      const [file, ...args] = command
      const given = ['--conditions=@svc/source', program, server.issuer, mcp.url.href, path]
      const child = spawn(file, [...args, ...given])
      onTestFinished(() => void child.kill('SIGKILL'))
      const errors = text(child.stderr)
      const browser = createBrowser()
      const reports: object[] = []
      for await (const line of createInterface(child.stdout)) {
        const report = JSON.parse(line) as Report
        const { verificationUri, userCode = '', opened } = report
        if (verificationUri) await browser.signIn(verificationUri, { user_code: userCode })
        else if (opened) await browser.signIn(opened)
        else reports.push(report)
      }
      if (reports.length < 2) throw new Error(await errors)
      expect(reports).toEqual([{ renewed: true }, { succeeded: 10 }])
      expect(server.count('/device/auth')).toBe(1)
      expect(server.count('/reg')).toBe(1)
      expect(server.revoked).toEqual([])
    },
  )
}
