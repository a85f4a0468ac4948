/** A date as HTTP has it. */
export const date = 'Sat, 21 Nov 2026 13:17:49 GMT'

/** The pieces of dates and of numbers of seconds. */
export const dateTokens: readonly string[] = [
  '0',
  '9',
  '-',
  '+',
  '.',
  'e',
  ' ',
  '\t',
  ',',
  ':',
  'GMT',
  'Nov',
  'Sat,',
  date,
  '2026',
  '(',
  ')',
  '\0',
  '٣',
  'Z',
  'T',
]
