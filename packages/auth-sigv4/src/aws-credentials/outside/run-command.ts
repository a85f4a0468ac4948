import { nodeModule } from './node-module.ts'
import { Failure, type Outside } from './outside.ts'

/** The time of a command: somebody may have to touch a key. */
const longestRunMs = 60_000

/** The time in which what a command printed must be read once it has ended. */
const lastOutputMs = 500

const maxOutputBytes = 64 * 1024

/**
 * Runs a command of the shell and returns its output. What it prints to the standard error is its own.
 *
 * @throws Failure if it cannot be run, fails, prints too much or takes too long: it is killed then, with its group.
 */
export function runCommand(command: string, deadline: Outside['deadline']): Promise<string> {
  const { spawn } = nodeModule('child_process')
  // A group of its own ends as a whole, and cannot ask for a code on the terminal.
  const detached = process.platform !== 'win32' && !nodeModule('tty').isatty(0)
  return new Promise((resolve, reject) => {
    const stdio = ['inherit', 'pipe', 'inherit'] as const
    const child = spawn(command, { shell: true, stdio: [...stdio], detached, windowsHide: true })
    const signal = deadline(longestRunMs)
    const fail = (problem: string): void => {
      signal.removeEventListener('abort', overdue)
      reject(new Failure(`its credential_process ${problem}`))
      kill(detached && child.pid ? -child.pid : child)
      // Somebody else may hold the pipe.
      child.stdout?.destroy()
    }
    const overdue = (): void => fail(`took longer than ${longestRunMs} ms`)
    signal.addEventListener('abort', overdue)
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > maxOutputBytes) fail(`printed more than ${maxOutputBytes} bytes`)
    })
    child.once('error', () => fail('could not be run'))
    const take = (): void => {
      resolve(output)
      child.stdout?.destroy()
    }
    child.once('exit', (status) => {
      if (status !== 0) return fail(`ended with the exit code ${status}`)
      signal.removeEventListener('abort', overdue)
      // A program that it left behind, such as an agent, may hold the pipe and go on.
      deadline(lastOutputMs).addEventListener('abort', take)
    })
    child.once('close', take)
  })
}

/** Kills a child, or a group by its negative number. */
function kill(target: number | { kill(signal: 'SIGKILL'): boolean }): void {
  try {
    if (typeof target === 'number') process.kill(target, 'SIGKILL')
    else target.kill('SIGKILL')
  } catch {
    // All of it has ended.
  }
}
