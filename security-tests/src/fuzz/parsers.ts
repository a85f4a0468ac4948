import { clientParsers } from './client-parsers.ts'
import { emulatorParsers } from './emulator-parsers.ts'
import type { Parser } from './parser.ts'

/** Every parser of the project. */
export const parsers: readonly Parser[] = [...clientParsers, ...emulatorParsers]
