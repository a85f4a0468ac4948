import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectStore } from './kind.ts'

export const python = '/usr/bin/python3'

/** What a store is served with. */
export interface Service {
  /** The script beside this file. It gets the folder of the store, and these arguments. */
  readonly script: string
  readonly args: readonly string[]
  /** Each file of the folder by its name. */
  readonly files: Readonly<Record<string, readonly string[]>>
  /** What responds with success once the store is up. */
  readonly probes: readonly string[]
}

/** Creates an empty folder for a store. */
export function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'object-store-'))
}

/** Serves a store from a folder, which is removed at its end, and waits until all of its servers respond. */
export async function serve(
  folder: string,
  { script, args, files, probes }: Service,
): Promise<Pick<ObjectStore, 'stop'>> {
  for (const [name, lines] of Object.entries(files)) {
    await writeFile(join(folder, name), lines.map((line) => `${line}\n`).join(''))
  }
  const path = new URL(script, import.meta.url).pathname
  // It ends when its input does, so that a run that ends in the middle leaves no server behind.
  const child = spawn(python, [path, folder, ...args], { stdio: ['pipe', 'ignore', 'pipe'] })
  const output: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const ended = once(child, 'close')

  const stop = async (): Promise<void> => {
    child.stdin.end()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const allRespond = Promise.all(probes.map((url) => responds(url, 60_000)))
  const areUp = await Promise.race([ended.then(() => [false]), allRespond])
  if (areUp.every(Boolean)) return { stop }
  await stop()
  throw new Error(`${script} started no store: ${output.join('')}`)
}

async function responds(url: string, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs
  while (Date.now() < end) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok === true) return true
    await sleep(50)
  }
  return false
}
