/**
 * The one entry of the tests to the inside of the emulator, for values that no entry shows. It is not
 * published. Everything else is tested through `@svc/emulator`.
 */
export { readCommandLine, UsageError } from '../src/command-line.ts'
export { deriveSigningKey } from '../src/sigv4/signature.ts'
