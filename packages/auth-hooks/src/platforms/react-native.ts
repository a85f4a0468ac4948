// React Native, whose own `fetch` follows redirects whatever it is told, and whose `URL` is not to the standard.
export * from './without-node.ts'
export { followRedirect } from '../kernel/redirect.ts'
export { assertFollowsNone, assertStandardUrl } from '../kit/runtime-faults.react-native.ts'
