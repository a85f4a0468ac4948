import { expect, test } from 'vitest'
import { hexBytes, percentDecode, utf8Bytes } from '../testing.ts'

test.each<[written: string, bytes: string]>([
  ['47 45 54 0a 2F', 'GET\n/'],
  ['474554', 'GET'],
  ['\n  47  45\n\t54\n', 'GET'],
  ['c3 bc ff 00', 'Ã¼ÿ\0'],
])('the bytes %j are read', (written, bytes) => {
  expect(hexBytes(written)).toBe(bytes)
})

test.each([undefined, '', ' \n', '47 4', '4', 'GET', '47 45 xy', 'xy 47 45', '47-45-'])(
  'no bytes are made of %j',
  (written) => {
    expect(hexBytes(written)).toBeUndefined()
  },
)

test('a text is taken as the bytes of its UTF-8', () => {
  expect(utf8Bytes('aü€😀')).toBe('aÃ¼â\u0082¬ð\u009f\u0098\u0080')
})

test('what is percent-encoded is decoded once, and the rest left alone', () => {
  expect(percentDecode('a%2Fb%2fc%C3%BC')).toBe('a/b/cÃ¼')
  expect(percentDecode('%2541')).toBe('%41')
  expect(percentDecode('100%, %4, %zz+')).toBe('100%, %4, %zz+')
})
