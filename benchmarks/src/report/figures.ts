/** Formats a number with three significant digits, and thousands apart. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-GB', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** Formats a ratio: `5.30 ×`. */
export const times = (ratio: number): string => `${figure(ratio)} ×`

/** Formats memory: `64.0 MB`, of 1024² bytes each. */
export const megabytes = (bytes: number): string => `${figure(bytes / 1024 ** 2)} MB`

/** Formats a size: `3.21 kB`, of 1000 bytes each. */
export const kilobytes = (bytes: number): string => `${figure(bytes / 1000)} kB`

/** Formats a time: `4 min 5 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
