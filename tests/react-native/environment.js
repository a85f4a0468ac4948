/* oxlint-disable no-extend-native, unicorn/no-array-reverse, import/no-unassigned-import -- it makes what an engine and a framework make */

// What the engine of this test lacks because of its age; that of React Native 0.85 and later has all of it.
import { fromByteArray, toByteArray } from 'base64-js'
import { TextDecoder, TextEncoder } from '@exodus/bytes/encoding.js'

const latin1 = (bytes) => {
  const pieces = []
  for (let index = 0; index < bytes.length; index += 8192) {
    pieces.push(String.fromCharCode(...bytes.subarray(index, index + 8192)))
  }
  return pieces.join('')
}
Object.assign(globalThis, {
  TextDecoder,
  TextEncoder,
  atob: (text) => latin1(toByteArray(text.padEnd(Math.ceil(text.length / 4) * 4, '='))),
  btoa: (text) => fromByteArray(Uint8Array.from(text, (character) => character.charCodeAt(0))),
})
for (const [name, value] of Object.entries({
  at(index) {
    return this[index < 0 ? this.length + index : index]
  },
  findLast(test) {
    return this.slice().reverse().find(test)
  },
  toReversed() {
    return this.slice().reverse()
  },
  toSorted(compare) {
    return this.slice().sort(compare)
  },
})) {
  if (name in Array.prototype) continue
  Object.defineProperty(Array.prototype, name, { value, configurable: true, writable: true })
}

// What React Native sets up by itself, in its order.
require('react-native/Libraries/Core/setUpGlobals')
require('react-native/src/private/setup/setUpDOM').default()
require('react-native/src/private/setup/setUpPerformance').default()
require('react-native/Libraries/Core/polyfillPromise')
require('react-native/Libraries/Core/setUpRegeneratorRuntime')
require('react-native/Libraries/Core/setUpXHR')
require('react-native/Libraries/Core/setUpNavigator')

const emitter = require('react-native/Libraries/EventEmitter/RCTDeviceEventEmitter').default
globalThis.emitDeviceEvent = (name, values) => emitter.emit(name, values)
