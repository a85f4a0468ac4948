/**
 * The one entry of the tests to the inside of the command, for runs within the process of a test. It is not published.
 */
export type { CommandContext } from '../src/context.ts'
export type { Keyring } from '../src/configuration/keyring.ts'
export { runProgram } from '../src/program.ts'
