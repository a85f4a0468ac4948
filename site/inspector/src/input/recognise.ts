import { findToken } from './token-text.ts'

/** The forms in which something can be pasted. */
export type InputKind = 'http' | 'curl' | 'har' | 'url' | 'token' | 'fields'

/** Recognises what was pasted by its beginning. */
export function recognise(text: string): InputKind {
  const start = text.slice(0, 4096).trimStart()
  if (/^(?:\$\s+)?(?:\S*[\\/])?curl(?:\.exe)?[\s^]/i.test(start)) return 'curl'
  if (findToken(text.length > 65_536 ? '' : text) !== undefined) return 'token'
  if (/^[[{]/.test(start)) return 'har'
  if (/^https?:\/\/\S*\s*$/i.test(text.length > 65_536 ? start : text.trim())) return 'url'
  return 'http'
}
