import type { CommandDefinition, CommandGroup } from '../command.ts'
import { diagnoseCommand } from './diagnose/diagnose.ts'
import { doctorCommand } from './doctor.ts'
import { emulatorCommand } from './emulator.ts'
import { explainCommand } from './explain.ts'
import { fetchCommand } from './fetch/fetch.ts'
import { loginCommand } from './login.ts'
import { logoutCommand } from './logout.ts'
import { presignCommand } from './presign.ts'
import { profileCommands } from './profile.ts'
import { proxyCommand } from './proxy.ts'
import { signCommand } from './sign.ts'
import { tokenCommand } from './token.ts'

/** All commands, in the order of the help. */
export const commands: readonly (CommandDefinition<never> | CommandGroup)[] = [
  profileCommands,
  doctorCommand,
  loginCommand,
  tokenCommand,
  logoutCommand,
  fetchCommand,
  signCommand,
  presignCommand,
  explainCommand,
  diagnoseCommand,
  emulatorCommand,
  proxyCommand,
]
