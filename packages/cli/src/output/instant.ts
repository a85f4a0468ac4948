/** Writes an instant for people: the local date and time, and how far away it is. */
export function formatInstant(at: number, now: number): string {
  // Sweden writes 2026-01-31 23:59:59.
  const time = new Date(at).toLocaleString('sv-SE')
  return `${time} (${formatDuration(Math.abs(at - now))}${at < now ? ' ago' : ''})`
}

/** Writes a duration with its largest unit, or the largest two. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}
