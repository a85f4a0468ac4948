export { webCryptoEngine as defaultEngine } from './webcrypto-engine.ts'
