import { existsSync, readdirSync } from 'node:fs'
import process from 'node:process'

const descriptorFolder = '/proc/self/fd'

/** How many of each thing keep the process alive, such as timers and sockets. */
export type Resources = Readonly<Record<string, number>>

/** Counts what keeps the process alive. */
export function countResources(): Resources {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** How many files and sockets are open, idle ones too; only Linux tells. */
export function countDescriptors(): number {
  return existsSync(descriptorFolder) ? readdirSync(descriptorFolder).length : 0
}

/** The names of what there is more of than before. */
export function grownResources(before: Resources, now: Resources): string[] {
  return Object.entries(now).flatMap(([name, count]) => {
    const more = count - (before[name] ?? 0)
    return more > 0 ? [`${more} more of ${name}`] : []
  })
}
