import type { CommandDefinition, CommandGroup } from '../command.ts'
import { fetchCommand } from './fetch/fetch.command.ts'

/** All commands, in the order of the help. */
export const commands: readonly (CommandDefinition<never> | CommandGroup)[] = [fetchCommand]
