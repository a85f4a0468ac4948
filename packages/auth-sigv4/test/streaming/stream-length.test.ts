import { expect, test } from 'vitest'
import { sendsStreamsWithLength } from '../testing.ts'

const node = { versions: { node: '24.0.0' } }

test.each<[name: string, runtime: object, sends: boolean]>([
  ['Node', { process: node }, true],
  ['Bun', { process: { versions: { node: '24.0.0', bun: '1.3.0' } } }, true],
  ['workerd', { FixedLengthStream: TransformStream }, true],
  ['workerd with the modules of Node', { FixedLengthStream: TransformStream, process: {} }, true],
  ['Deno', { Deno: {}, process: node }, false],
  ['a browser', {}, false],
  ['a browser whose bundler fakes a process', { process: {} }, false],
  ['a browser whose bundler fakes versions', { process: { versions: {} } }, false],
  ['the main process of Electron', { process: { ...node, type: 'browser' } }, true],
  ['a window of Electron', { process: { ...node, type: 'renderer' } }, false],
])('whether %s sends a stream with its length', (_name, runtime, sends) => {
  expect(sendsStreamsWithLength(runtime)).toBe(sends)
})

test('the runtime of this test is the one that is asked', () => {
  expect(sendsStreamsWithLength()).toBe(true)
})
