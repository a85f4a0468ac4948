import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textBytes as onNode } from '../src/text-bytes.node.ts'
import { textBytes } from '../src/text-bytes.ts'

test('Node and the other runtimes encode every text alike, a lone surrogate too', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, isTorn) => {
      const given = isTorn ? `${text}\ud800` : text
      expect([...onNode(given)]).toEqual([...textBytes(given)])
    }),
  )
})
