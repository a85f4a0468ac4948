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

/** Formats a size: `64.0 MiB`. */
export const mebibytes = (bytes: number): string => `${figure(bytes / 1024 ** 2)} MiB`

/** Formats a size: `3.21 kB`, of 1000 bytes each. */
export const kilobytes = (bytes: number): string => `${figure(bytes / 1000)} kB`
