const form = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

/** The instant of `YYYYMMDDTHHMMSSZ`, or `undefined` where it is none. */
export function parseAmzDate(text: string): number | undefined {
  const parts = form.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // Date.parse takes 24:00:00 and, in V8, the 31st of a shorter month.
  return Number.isNaN(instant) || formatAmzDate(instant) !== text ? undefined : instant
}

/** An instant as `YYYYMMDDTHHMMSSZ`. */
function formatAmzDate(instant: number): string {
  return new Date(instant).toISOString().replace(/[-:]|\.\d{3}/g, '')
}
