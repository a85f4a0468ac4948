import { NetworkError } from '../../exit.ts'
import type { FetchRequest } from './request.ts'
import { type FetchResponse, headerOf } from './send.ts'

/**
 * Checks that a response with the status 206 has all of the range that was asked for. A server may send less, which
 * would be half a file. Several ranges come in a form of their own, which is not looked at.
 *
 * @throws NetworkError if it has less, more or something else.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7
 */
export function assertWholePart(
  { defaults, headers }: Pick<FetchRequest, 'defaults' | 'headers'>,
  response: FetchResponse,
  length: number | undefined,
): void {
  const lines = new Map([...defaults, ...headers])
  const asked = lines.get('range') ?? 'no range'
  if (asked.includes(',')) return
  const sent = headerOf(response, 'content-range') ?? ''
  if (isWhole(asked, sent, length)) return
  throw new NetworkError(`the service sent "${sent}" where ${asked} was asked for`)
}

function isWhole(asked: string, sent: string, length: number | undefined): boolean {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(asked.trim()) ?? []
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(sent) ?? []
  if (from === undefined || first === undefined) return false
  const count = Number(last) - Number(first) + 1
  if (length !== undefined && length !== count) return false
  // A server may leave the size open.
  const end = size === '*' ? Infinity : Number(size) - 1
  const isAtEnd = end === Infinity || Number(last) === end
  // Of `bytes=-500` the number is that of the last bytes.
  if (from === '') return isAtEnd && count === Math.min(Number(to), end + 1)
  if (Number(first) !== Number(from)) return false
  return to === '' ? isAtEnd : Number(last) === Math.min(Number(to), end)
}
