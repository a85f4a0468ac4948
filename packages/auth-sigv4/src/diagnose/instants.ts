/** The last second that a date in `x-amz-date` can name. */
const lastAt = Date.UTC(9999, 11, 31, 23, 59, 59)

/**
 * An instant as servers write it, in epoch milliseconds: `20130524T000000Z`, ISO 8601, the form of
 * HTTP's `Date`, or milliseconds as such, as S3 has it for presigned requests.
 */
export function parseInstant(text: string | null | undefined): number | undefined {
  if (!text || text.length > 40) return undefined
  const iso = text.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const at = /^\d{13}$/.test(iso) ? Number(iso) : Date.parse(iso)
  return at >= 0 && at <= lastAt ? at : undefined
}

/** A length of time for people, to two units: `1 h 5 min`. */
export function formatDuration(ms: number): string {
  let rest = Math.round(Math.abs(ms) / 1000)
  const parts: string[] = []
  for (const [unit, seconds] of [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}
