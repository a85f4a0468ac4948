import type { Difference } from './diagnosis.ts'

/** The line that stands for the canonical request. */
export const hashLine = 'canonical request hash'

/**
 * The lines of two strings to sign that differ; `undefined` where theirs is none.
 *
 * @param isShown - Whether the server shows its canonical request as well, and it is ours.
 */
export function compareStringsToSign(
  ours: string,
  theirs: string,
  isShown: boolean,
): Difference[] | undefined {
  const own = lines(ours)
  const other = lines(theirs)
  if (!own || !other) return undefined
  const differences: Difference[] = []
  for (const [line, left] of own) {
    const right = other.get(line) ?? ''
    // A presigned URL has no hash of ours.
    if (left === right || (line === hashLine && left === '')) continue
    differences.push({ line, ours: left, theirs: right, hint: hint(line, right, isShown) })
  }
  return differences
}

function lines(stringToSign: string): Map<string, string> | undefined {
  const [algorithm = '', date = '', scope = '', hash, ...rest] = stringToSign.split('\n', 6)
  if (hash === undefined || rest.some((line) => line.trim() !== '')) return undefined
  const [scopeDate = '', region = '', service = '', end = ''] = scope.split('/')
  return new Map([
    ['algorithm', algorithm],
    ['date', date],
    ['scope date', scopeDate],
    ['region', region],
    ['service', service],
    ['scope end', end],
    [hashLine, hash.trim()],
  ])
}

function hint(line: string, theirs: string, isShown: boolean): string {
  switch (line) {
    case 'algorithm':
      return 'The server expects a different kind of signature; this package creates AWS4-HMAC-SHA256.'
    case 'date':
      return 'The server used a different date: x-amz-date was changed on the way, or the server reads the Date header instead.'
    case 'scope date':
      return 'The day in the credential scope does not match the date: one of the two was changed on the way.'
    case 'region':
      return `The server signs for a different region: use region: '${theirs}'.`
    case 'service':
      return `The server signs for a different service: use service: '${theirs}'.`
    case 'scope end':
      return 'The credential scope ends differently; the server follows another version of the signature.'
  }
  return isShown
    ? 'The server hashes a different canonical request than the one it shows.'
    : 'The canonical requests differ, but the server does not show its own.'
}
