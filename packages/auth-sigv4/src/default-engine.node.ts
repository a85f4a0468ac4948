export { nativeEngine as defaultEngine } from './native-engine.ts'
