export { nativeEngine as defaultEngine } from './native.ts'
