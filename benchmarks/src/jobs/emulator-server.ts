import process from 'node:process'
import { createEmulator } from '@svc/emulator'

const { url } = await createEmulator().listen()
process.send?.(url.origin)
process.once('disconnect', () => process.exit())
