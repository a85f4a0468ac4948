import type { CommandDefinition, CommandGroup } from '../command.ts'
import { diagnoseCommand } from './diagnose/diagnose.command.ts'
import { doctorCommand } from './doctor/doctor.command.ts'
import { emulatorCommand } from './emulator/emulator.command.ts'
import { explainCommand } from './explain/explain.command.ts'
import { fetchCommand } from './fetch/fetch.command.ts'
import { loginCommand } from './login/login.command.ts'
import { logoutCommand } from './logout/logout.command.ts'
import { presignCommand } from './presign/presign.command.ts'
import { profileCommands } from './profile/profile.command.ts'
import { proxyCommand } from './proxy/proxy.command.ts'
import { signCommand } from './sign/sign.command.ts'
import { tokenCommand } from './token/token.command.ts'

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
