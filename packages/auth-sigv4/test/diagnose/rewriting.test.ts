import { expect, test } from 'vitest'
import {
  encodedAgain,
  findRewritings,
  plusRewritings,
  type Rewriting,
  rewritingHint,
} from '../testing.ts'

const append = (letter: string): Rewriting => ({
  apply: (text) => text + letter,
  effect: `adds ${letter}`,
})
const [a, b] = [append('a'), append('b')]
const nothing: Rewriting = { apply: (text) => text, effect: 'changes nothing' }

test('the way from one text to another is found up to three rewritings long', () => {
  expect(findRewritings('', 'a', [a, b])).toEqual([a])
  expect(findRewritings('', 'ab', [a, b])).toEqual([a, b])
  expect(findRewritings('', 'bab', [a, b])).toEqual([b, a, b])
  expect(findRewritings('', 'abab', [a, b])).toBeUndefined()
  expect(findRewritings('', 'c', [a, b])).toBeUndefined()
})

test('the shortest way is found, and of two of one length the first', () => {
  const both = append('ab')
  expect(findRewritings('', 'ab', [nothing, a, b, both, append('ab')])).toEqual([both])
})

test('nothing has to be rewritten where the texts are one', () => {
  expect(findRewritings('a', 'a', [nothing])).toBeUndefined()
})

test('no text is rewritten twice by one rewriting', () => {
  const texts: string[] = []
  const watched: Rewriting = {
    apply: (text) => {
      texts.push(text)
      return `${text}a`
    },
    effect: 'adds a',
  }
  expect(findRewritings('', 'none', [nothing, a, watched])).toBeUndefined()
  expect(texts).toEqual(['', 'a', 'aa'])
})

test('texts longer than a request line are not searched', () => {
  const length = 16 * 1024
  const long = 'a'.repeat(length)
  const cut: Rewriting = { apply: (text) => text.slice(0, -1), effect: 'cuts' }
  expect(findRewritings(long, long.slice(1), [cut])).toEqual([cut])
  expect(findRewritings(long.slice(1), long, [a])).toEqual([a])
  expect(findRewritings(`${long}a`, long, [cut])).toBeUndefined()
  expect(findRewritings(long, `${long}a`, [a])).toBeUndefined()
})

test('a hint tells the rewritings in their order', () => {
  expect(rewritingHint([a])).toBe('On the way, or in the server, something adds a.')
  expect(rewritingHint([b, a])).toBe(
    'On the way, or in the server, something adds b, and then adds a.',
  )
})

test('what happens to pluses and to percent signs happens to all of them', () => {
  const [plusAsBlank, blankAsPlus] = plusRewritings
  expect(plusAsBlank?.apply('a%2Bb%2Bc%20d')).toBe('a%20b%20c%20d')
  expect(blankAsPlus?.apply('a%20b%20c%2Bd')).toBe('a%2Bb%2Bc%2Bd')
  expect(encodedAgain.apply('a%20b%25')).toBe('a%2520b%2525')
})
