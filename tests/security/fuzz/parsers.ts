import { addressParsers } from './address-parsers.ts'
import { challengeParsers } from './challenge-parsers.ts'
import { configParsers } from './config-parsers.ts'
import { emulatorParsers } from './emulator-parsers.ts'
import { inspectorParsers } from './inspector-parsers.ts'
import type { Parser } from './parser.ts'
import { refusalParsers } from './refusal-parsers.ts'
import { sessionParsers } from './session-parsers.ts'

/** Every parser of the project. */
export const parsers: readonly Parser[] = [
  ...sessionParsers,
  ...addressParsers,
  ...challengeParsers,
  ...configParsers,
  ...refusalParsers,
  ...emulatorParsers,
  ...inspectorParsers,
]
