import type { CommandDefinition, CommandGroup } from '../command.ts'
import { diagnoseCommand } from './diagnose/diagnose.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { emulatorCommand } from './emulator/emulator.ts'
import { explainCommand } from './explain/explain.ts'
import { fetchCommand } from './fetch/fetch.ts'
import { loginCommand } from './login/login.ts'
import { logoutCommand } from './logout/logout.ts'
import { presignCommand } from './presign/presign.ts'
import { profileCommands } from './profile/profile.ts'
import { proxyCommand } from './proxy/proxy.ts'
import { signCommand } from './sign/sign.ts'
import { tokenCommand } from './token/token.ts'

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
