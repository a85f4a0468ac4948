export { webCryptoEngine as defaultEngine } from './webcrypto.ts'
