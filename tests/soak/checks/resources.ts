import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import process from 'node:process'

const descriptorFolder = '/proc/self/fd'

/** The number of each thing, such as timers and sockets. */
export type Resources = Readonly<Record<string, number>>

/** Counts what keeps the process alive. */
export function countResources(): Resources {
  return countNames(process.getActiveResourcesInfo())
}

/** Counts open files and sockets, idle ones too, by their names; only Linux tells. */
export function countDescriptors(): Resources {
  if (!existsSync(descriptorFolder)) return {}
  return countNames(readdirSync(descriptorFolder).flatMap(targetOf))
}

function targetOf(descriptor: string): string[] {
  try {
    const name = readlinkSync(`${descriptorFolder}/${descriptor}`).replace(/\d+/g, 'N')
    // Node opens it on its own account, and keeps it.
    return name === '/dev/null' ? [] : [name]
  } catch {
    // That of the folder, which was open while it was read.
    return []
  }
}

function countNames(names: readonly string[]): Resources {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** The names of what there is more of than before. */
export function grownResources(before: Resources, now: Resources): string[] {
  return Object.entries(now).flatMap(([name, count]) => {
    const more = count - (before[name] ?? 0)
    return more > 0 ? [`${more} more of ${name}`] : []
  })
}

/** Returns the number of all kinds together. */
export function sumOf(counts: Resources): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
