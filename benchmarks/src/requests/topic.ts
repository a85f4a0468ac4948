import { node24 } from '../jobs/command-runtime.ts'
import { startBareServer, startEmulator } from '../jobs/service.ts'
import type { Topic } from '../topic.ts'
import { type RequestPerformance, requestsJob } from './requests-job.ts'
import { requestsSection } from './section.ts'

/** Whole requests over loopback. */
export const requests: Topic<readonly RequestPerformance[]> = {
  name: 'requests',
  title: 'Whole requests over loopback',
  section: requestsSection,
  async run({ requests: effort }) {
    const bare = await startBareServer()
    const emulator = await startEmulator()
    try {
      return await node24.run(requestsJob, {
        ...effort,
        bareUrl: bare.url,
        emulatorUrl: emulator.url,
      })
    } finally {
      await bare.close()
      await emulator.close()
    }
  },
}
