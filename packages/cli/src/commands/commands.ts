import type { CommandDefinition, CommandGroup } from '../command.ts'
import { doctorCommand } from './doctor/doctor.command.ts'
import { emulatorCommand } from './emulator/emulator.command.ts'
import { fetchCommand } from './fetch/fetch.command.ts'
import { loginCommand } from './login/login.command.ts'
import { logoutCommand } from './logout/logout.command.ts'
import { profileCommands } from './profile/profile.command.ts'
import { proxyCommand } from './proxy/proxy.command.ts'
import { tokenCommand } from './token/token.command.ts'

/** All commands, in the order of the help. */
export const commands: readonly (CommandDefinition<never> | CommandGroup)[] = [
  profileCommands,
  doctorCommand,
  loginCommand,
  tokenCommand,
  logoutCommand,
  fetchCommand,
  emulatorCommand,
  proxyCommand,
]
