import { channel } from 'node:diagnostics_channel'
import type { DiagnosticsChannel } from './diagnostics.ts'

export const diagnostics: DiagnosticsChannel = channel('svc-auth')
