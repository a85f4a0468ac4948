import { expect, test } from 'vitest'
import { sharesByFile } from '../src/profile/shares-by-file.ts'

test('time counts for the file whose code was running, and idle time for none', () => {
  const frame = (functionName: string, url = '') => ({
    functionName,
    url,
    scriptId: '0',
    lineNumber: 0,
    columnNumber: 0,
  })
  const callFrames = [
    frame('(idle)'),
    frame('(garbage collector)'),
    frame('sign', 'file:///somewhere/packages/auth-sigv4/dist/sigv4-signer.js'),
    frame('hash', 'node:internal/crypto/hash'),
    frame('RegExp: a'),
    frame('oneShotDigest'),
  ]
  const shares = sharesByFile({
    nodes: callFrames.map((callFrame, id) => ({ id, callFrame })),
    startTime: 0,
    endTime: 1000,
    samples: [0, 1, 2, 2, 3, 4, 5],
    timeDeltas: [500, 10, 20, 20, 25, 20, 5],
  })
  expect(shares).toEqual({
    'garbage collection': 0.1,
    'auth-sigv4/sigv4-signer.js': 0.4,
    'node:crypto': 0.3,
    runtime: 0.2,
  })
})
