import { authFetch } from '@svc/auth-hooks'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { report } from '../jobs/report.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { inRounds } from '../measure/in-rounds.ts'
import type { RequestContender, ServiceAddress } from './contender.ts'
import { ourContenders } from './our-contenders.ts'
import { peerContenders } from './peer-contenders.ts'
import {
  concurrency,
  type RequestPerformance,
  type RequestRound,
  requestsJob,
} from './requests-job.ts'
import { paths, signatureScheme } from './schemes.ts'

const { username, password } = defaultUsers[0]
const account = { user: { username, password }, apiKey: defaultApiKeys[0] }
const contenders = [...ourContenders, ...peerContenders]

await report(requestsJob, async ({ bareUrl, emulatorUrl, rounds, requestsPerRound }) => {
  const emulator = { ...account, baseUrl: emulatorUrl }
  await putReport(emulator)
  const admitted: RequestContender[] = []
  const performances: RequestPerformance[] = []
  // One after the other, since a login ends the sessions before it.
  for (const contender of contenders) {
    const refused = contender.isBearer ? undefined : await rejectionOf(contender, emulator)
    if (refused === undefined) admitted.push(contender)
    else performances.push({ ...described(contender), rounds: [], refused })
  }
  const bare = { ...account, baseUrl: bareUrl }
  const senders = await Promise.all(admitted.map((contender) => contender.connect(bare)))
  // Connections are opened, and code is compiled.
  for (const send of senders) await sendMany(send, requestsPerRound)
  const taken = await inRounds(senders, rounds, async (send) => {
    // Not measured: the garbage of the contender before is still being collected.
    await sendMany(send, requestsPerRound / 5)
    return sendMany(send, requestsPerRound)
  })
  for (const [place, contender] of admitted.entries()) {
    performances.push({ ...described(contender), rounds: taken[place] ?? [] })
  }
  return performances
})

function described({
  name,
  role,
  client,
  credential,
}: RequestContender): Omit<RequestPerformance, 'rounds'> {
  return { name, role, client, credential }
}

async function putReport(emulator: ServiceAddress): Promise<void> {
  const put = authFetch(signatureScheme(emulator))
  const { status } = await put(emulator.baseUrl + paths.signature, { method: 'PUT', body: '{}' })
  if (status !== 200) throw new Error(`the emulator responds with ${status}`)
}

async function rejectionOf(
  contender: RequestContender,
  emulator: ServiceAddress,
): Promise<string | undefined> {
  try {
    const send = await contender.connect(emulator)
    const status = await send()
    return status === 200 ? undefined : `status ${status}`
  } catch (error) {
    return String(error)
  }
}

async function sendMany(send: () => Promise<number>, requests: number): Promise<RequestRound> {
  let started = 0
  const sendInTurn = async (): Promise<void> => {
    while (started < requests) {
      started += 1
      const status = await send()
      if (status !== 200) throw new Error(`status ${status}`)
    }
  }
  const startedAt = performance.now()
  const cpuBefore = cpuTimeNs()
  await Promise.all(Array.from({ length: concurrency }, sendInTurn))
  return {
    requestsPerSecond: requests / ((performance.now() - startedAt) / 1000),
    cpuPerRequestUs: (cpuTimeNs() - cpuBefore) / 1000 / requests,
  }
}
