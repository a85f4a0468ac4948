/// <reference types="node" />
import { constants } from 'node:fs'
import { errorCode, isBusy, type Platform } from './platform.ts'
import { ignoreCodes, removeFile } from './private-files.ts'

const { O_CREAT, O_EXCL, O_WRONLY } = constants
/** Far longer than a rename takes, with all pauses of a platform. */
const claimLastsMs = 5000
const pauseMs = 10

/** The end of the name of a claim, as a regular expression. */
export const claimPattern = '\\.claim\\.[1-9][0-9]{0,2}'

/**
 * Renames a file for one caller alone. Resolves to `false` if it no longer has the name, or if another
 * caller is about to rename it.
 */
export async function renameOnce(platform: Platform, from: string, to: string): Promise<boolean> {
  if (platform.rules.hasExclusiveRename) return rename(platform, from, to)
  const claim = await takeClaim(platform, from)
  if (claim === undefined) {
    await platform.wait(pauseMs)
    return false
  }
  try {
    return await rename(platform, from, to)
  } finally {
    await removeFile(platform, claim)
  }
}

async function rename({ files }: Platform, from: string, to: string): Promise<boolean> {
  try {
    await files.rename(from, to)
    return true
  } catch (error) {
    ignoreCodes('ENOENT')(error)
    return false
  }
}

/**
 * Makes a file beside another one, which only one caller can: the right to rename that one. If a process is
 * killed in between, the next number counts. Removing its claim would not do: of two who found it too
 * old, the later could remove that of the earlier.
 */
async function takeClaim(platform: Platform, path: string): Promise<string | undefined> {
  const { files, rules, now } = platform
  for (let number = 1; number < 1000; number += 1) {
    const claim = `${path}.claim.${number}`
    try {
      const handle = await files.open(claim, O_WRONLY | O_CREAT | O_EXCL | rules.openFlags, 0o600)
      await handle.close()
      return claim
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' && !isBusy(error, rules)) throw error
    }
    const stats = await files.lstat(claim).catch(ignoreCodes('ENOENT'))
    // A clock that was set back does not make it last longer.
    if (!stats || Math.abs(now() - stats.mtimeMs) < claimLastsMs) return undefined
  }
  return undefined
}
