import { check } from '@svc/auth-hooks/scheme'
import { isSafeUrl } from './safe-url.ts'
import { loadNode } from './node-module.ts'

/** The programs that open an address, by the platform; elsewhere that of the desktops of Linux. */
const openers: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address in the user's browser: for `open` of `loopback`. For Node, Bun and Deno on Linux, macOS and Windows.
 *
 * While it starts, other users of this machine may read the address in the list of processes.
 *
 * @throws TypeError if it is no address of a page. An error with the code of the system if no program opens it, as on a
 * machine without a desktop.
 * @example
 * import { loopback, openBrowser } from '@svc/auth-token/sign-in'
 *
 * export const signIn = loopback({ issuer: 'https://login.example.com', open: openBrowser })
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-6
 */
export async function openBrowser(url: string): Promise<void> {
  check(isSafeUrl(url), '[@svc/auth-token] openBrowser', 'url must be a URL with https://')
  const { spawn } = loadNode('child_process', 'openBrowser()')
  const { platform } = process
  const [program, ...args] = openers[platform] ?? ['xdg-open']
  // No shell reads the address.
  const opener = spawn(program, [...args, new URL(url).href], { stdio: 'ignore', detached: true })
  await new Promise<void>((resolve, reject) => {
    opener.once('error', (error: NodeJS.ErrnoException) => {
      // That of the system has the address in it, and with that the state.
      reject(new Error(`[@svc/auth-token] ${program} cannot be started: ${error.code}`))
    })
    opener.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`[@svc/auth-token] ${program} ended with ${code}`))
    })
    // Nobody waits until the browser is closed.
    opener.unref()
  })
}
